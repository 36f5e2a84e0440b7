import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import type { ObjectType } from '../../../../http/objects/object-type.js'
import type { Objects } from '../../../../http/objects/objects.js'
import { gather } from '../../../../http/rpc/placement/gather.js'
import { placementHandlers } from '../../../../http/rpc/placement/handlers.js'
import { Reader } from '../../../../http/rpc/placement/reader.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'
import { recordingObjects } from '../recording-objects.js'
import { NO_OWN_READS } from './own-reads.js'

const call = {
  ...{ signal: new AbortController().signal, answered: () => undefined, caller: { user: 'ada' } },
} as unknown as Call
const type: ObjectType = {
  ...{ group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true },
}
const key = { namespace: 'shop', name: 'settings' }
const resource = { apiVersion: 'v1', kind: 'ConfigMap', ...key }

describe('a trace', () => {
  const readPolicies = async (deny: (namespace: string) => boolean) => {
    const { objects, recorded } = recordingObjects(() => undefined)
    const list: Objects['list'] = async (of, place, wanted, query) => {
      const found = await objects.list(of, place, wanted, query)
      if (wanted.resource === 'propagationpolicies' && deny(query.namespace ?? ''))
        throw new StatusError({ ...bareStatus(403, 'not for you'), reason: 'Forbidden' })
      return found as never
    }
    const reader = new Reader({ ...objects, list }, NO_OWN_READS, call, { instance: 'i' })
    await gather(reader, type, key)
    const read = recorded.filter(({ resource }) => resource === 'propagationpolicies')
    return { namespaces: read.map(({ query }) => query?.namespace), unread: reader.unread }
  }

  it('reads the policies of all namespaces, because one elsewhere may be the mistake', async () => {
    expect(await readPolicies(() => false)).toEqual({ namespaces: [undefined], unread: [] })
  })

  it('reads those of the template’s namespace where the caller may read no others, and names what is denied', async () => {
    expect(await readPolicies(namespace => namespace === '')).toEqual({
      ...{ namespaces: [undefined, 'shop'], unread: [] },
    })
    expect((await readPolicies(() => true)).unread).toEqual(['not for you'])
  })
})

describe('an explanation', () => {
  it('of what goes where others need it is refused, because it has no placement of its own', async () => {
    const { objects } = recordingObjects((_id, { kind }) =>
      kind === 'ResourceBinding'
        ? { spec: { resource, requiredBy: [{ namespace: 'shop', name: 'web', clusters: [{ name: 'm' }] }] } }
        : {},
    )
    const served = { ...objects, typeOf: async () => type }
    const request = { instance: 'i', ...resource }
    await expect(
      placementHandlers(served, NO_OWN_READS).explainPlacement(request as never, call),
    ).rejects.toMatchObject({
      code: 9,
      details: { reason: 'Dependency' },
    })
  })
})

describe('a preview of an override policy that is stored', () => {
  it('is of the new one alone, which replaces it', async () => {
    const policy = (name: string, color: string) => ({
      ...{
        apiVersion: 'policy.karmada.io/v1alpha1',
        kind: 'OverridePolicy',
        metadata: { name, namespace: 'shop' },
      },
      spec: {
        resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'settings' }],
        overrideRules: [
          { overriders: { labelsOverrider: [{ operator: 'add', value: { [`by-${name}-${color}`]: 'x' } }] } },
        ],
      },
    })
    const { objects } = recordingObjects(
      (_id, { kind }) =>
        kind === 'ResourceBinding' ? { spec: { resource, clusters: [{ name: 'm' }] } } : undefined,
      {
        configmaps: [{ metadata: key, data: {} }],
        overridepolicies: [policy('color', 'old'), policy('other', 'kept')],
        clusters: [{ metadata: { name: 'm' }, spec: { syncMode: 'Push' } }],
      },
    )
    const served = { ...objects, typeOf: async () => type }
    const request = { instance: 'i', data: JSON.stringify(policy('color', 'new')) }
    const { templates = [] } = await placementHandlers(served, NO_OWN_READS).previewPolicy(
      request as never,
      call,
    )
    const after = templates[0]?.manifests?.[0]?.after ?? ''
    expect(after).toContain('by-color-new')
    expect(after).toContain('by-other-kept')
    expect(after).not.toContain('by-color-old')
  })
})
