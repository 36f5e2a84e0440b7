import { describe, expect, it } from 'vitest'
import { bestPolicy, CLAIMS, claimOf, policyFor } from '../../karmada/matching/policies.js'
import type { ResourceSelector } from '../../karmada/objects/override-policy.js'
import type { PropagationPolicy } from '../../karmada/objects/propagation-policy.js'

const web = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', labels: { app: 'web' } },
}
const DEPLOYMENTS = { apiVersion: 'apps/v1', kind: 'Deployment' }
const policy = (
  name: string,
  selector: Partial<ResourceSelector> = {},
  { priority, ...metadata }: { priority?: number; namespace?: string; deletionTimestamp?: string } = {},
): PropagationPolicy => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { name, namespace: 'default', ...metadata },
  spec: {
    resourceSelectors: [{ ...DEPLOYMENTS, ...selector }],
    placement: {},
    ...(priority !== undefined && { priority }),
  },
})
const LABELS = { labelSelector: { matchLabels: { app: 'web' } } }

describe('the best policy', () => {
  it.each([
    ['has the highest priority', [policy('a', { name: 'web' }), policy('b', {}, { priority: 1 })], 'b'],
    ['of equal priority names the template', [policy('a', LABELS), policy('b', { name: 'web' })], 'b'],
    ['prefers labels to all of a kind', [policy('a'), policy('b', LABELS)], 'b'],
    ['of equal precision has the first name', [policy('b'), policy('a')], 'a'],
    ['is not one of lower than no priority', [policy('a', {}, { priority: -1 }), policy('b')], 'b'],
    [
      'is not being deleted',
      [policy('a', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }), policy('b')],
      'b',
    ],
    ['selects the kind', [policy('a', { kind: 'StatefulSet' })], undefined],
    ['selects the version', [policy('a', { apiVersion: 'apps/v1beta1' })], undefined],
    ['selects the namespace', [policy('a', { namespace: 'other' })], undefined],
    ['with a name does not look at labels', [policy('a', { name: 'api', ...LABELS })], undefined],
    [
      'has labels that Kubernetes can read',
      [policy('a', { labelSelector: { matchExpressions: [{ key: 'app', operator: 'Near' }] } })],
      undefined,
    ],
  ])('%s', (_, policies, expected) => expect(bestPolicy(web, policies)?.metadata.name).toBe(expected))
})

describe('a template', () => {
  it('goes to a policy of its namespace, even when a cluster policy has a higher priority', () =>
    expect(policyFor(web, [policy('here')], [policy('everywhere', {}, { priority: 9 })])?.metadata.name).toBe(
      'here',
    ))

  it('goes to a cluster policy when its namespace has no matching policy', () => {
    const elsewhere = policy('there', {}, { namespace: 'other' })
    expect(policyFor(web, [elsewhere], [policy('everywhere')])?.metadata.name).toBe('everywhere')
  })

  it('reports its claim only when all claim labels are present', () => {
    const { policy: own, clusterPolicy } = CLAIMS
    const claimed = (labels: Record<string, string>, annotations: Record<string, string>) =>
      claimOf({ ...web, metadata: { ...web.metadata, labels, annotations } })
    expect(claimed({ [own.id]: '1' }, { [own.namespace]: 'default', [own.name]: 'a' })).toEqual({
      kind: 'PropagationPolicy',
      namespace: 'default',
      name: 'a',
      id: '1',
    })
    expect(claimed({ [own.id]: '1', [clusterPolicy.id]: '2' }, { [clusterPolicy.name]: 'b' })).toEqual({
      kind: 'ClusterPropagationPolicy',
      name: 'b',
      id: '2',
    })
    expect(claimed({ [own.id]: '1' }, {})).toBeUndefined()
  })
})
