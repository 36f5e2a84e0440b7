import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import type { ObjectType } from '../../../../http/objects/object-type.js'
import { clusterPropagationPolicies, type Policy } from '../../../../http/rpc/policy/policies.js'
import { selecting } from '../../../../http/rpc/policy/selecting.js'
import { recordingObjects } from '../recording-objects.js'

const deployments: ObjectType = {
  ...{ group: 'apps', version: 'v1', resource: 'deployments', kind: 'Deployment', namespaced: true },
}
const selector = (more: object = {}) => ({ apiVersion: 'apps/v1', kind: 'Deployment', ...more })
const gold = { labelSelector: { matchLabels: { tier: 'gold' } } }
const policies = {
  'by name': selector({ name: 'web' }),
  'by name in shop': selector({ name: 'web', namespace: 'shop' }),
  'another name': selector({ name: 'db' }),
  'another kind': selector({ kind: 'Job', name: 'web' }),
  'by labels': selector(gold),
  'by labels in shop': selector({ ...gold, namespace: 'shop' }),
  'by other labels': selector({ labelSelector: { matchLabels: { tier: 'iron' } } }),
}

/** The policies that select the Deployment web, which is gold, of this namespace; of an unknown one where it is empty. */
async function selectingWeb(kindNamespace: string) {
  const all = Object.entries(policies).map(([name, one]) => ({
    ...{ metadata: { name }, spec: { resourceSelectors: [one] } },
  }))
  const { objects } = recordingObjects(
    (_id, { resource }, { namespace }) =>
      resource === 'deployments' && namespace ? { metadata: { labels: { tier: 'gold' } } } : undefined,
    { clusterpropagationpolicies: all },
  )
  const served = { ...objects, typeOf: async () => deployments }
  const selected = { kind: 'Deployment', kindName: 'web', kindNamespace, apiVersion: '' }
  const listed = { type: clusterPropagationPolicies.type }
  const { where } = await selecting(served, {} as Call, { instance: 'i' }, listed, selected)
  return all.filter(policy => where?.(policy as unknown as Policy)).map(({ metadata }) => metadata.name)
}

describe('policies that select an object', () => {
  it('are those of its name or labels, in its namespace or in any', async () => {
    expect(await selectingWeb('shop')).toEqual([
      'by name',
      'by name in shop',
      'by labels',
      'by labels in shop',
    ])
    expect(await selectingWeb('else')).toEqual(['by name', 'by labels'])
  })

  it('are those that may, where its namespace is not known', async () => {
    expect(await selectingWeb('')).toEqual([
      ...['by name', 'by name in shop', 'by labels', 'by labels in shop', 'by other labels'],
    ])
  })
})
