import { expect, it } from 'vitest'
import { claimed, claimMarks, isClaimedBy, unclaimed } from '../../karmada/matching/claim.js'
import { ID, policy, template } from './propagated-objects.js'

const owned = claimed(template, policy)
const wide = {
  ...policy,
  kind: 'ClusterPropagationPolicy',
  metadata: { name: 'wide', labels: { 'clusterpropagationpolicy.karmada.io/permanent-id': 'wide-1' } },
}
const without = (key: string, of: 'labels' | 'annotations') => {
  const { [key]: _, ...rest } = owned.metadata[of] ?? {}
  return { ...owned, metadata: { ...owned.metadata, [of]: rest } }
}

it('a policy without an id claims nothing, what has no claim least of all', () => {
  const young = { ...policy, metadata: { ...policy.metadata, labels: {} } }
  expect([isClaimedBy(template, young), isClaimedBy(owned, young)]).toEqual([false, false])
})

it('a policy names itself by its id, its name and its namespace, and a cluster policy by what it has of these', () => {
  expect(claimMarks(policy)).toEqual({
    labels: { [ID]: policy.metadata.labels?.[ID] },
    annotations: {
      'propagationpolicy.karmada.io/name': policy.metadata.name,
      'propagationpolicy.karmada.io/namespace': policy.metadata.namespace,
    },
  })
  expect(claimMarks(wide)).toEqual({
    labels: { 'clusterpropagationpolicy.karmada.io/permanent-id': 'wide-1' },
    annotations: { 'clusterpropagationpolicy.karmada.io/name': 'wide' },
  })
})

it.each([
  ['label', ID, 'labels'],
  ['annotation', 'propagationpolicy.karmada.io/name', 'annotations'],
] as const)('a claim that lost its %s is completed', (_, key, of) => {
  expect(claimed(without(key, of), policy).metadata).toEqual(owned.metadata)
})

it('a claim is taken away by the policy that has it, by its kind and its id', () => {
  expect(unclaimed(owned, 'PropagationPolicy', 'another')).toBe(owned)
  expect(unclaimed(owned, 'ClusterPropagationPolicy')).toBe(owned)
  const free = unclaimed(owned, 'PropagationPolicy', policy.metadata.labels?.[ID])
  expect(Object.keys({ ...free.metadata.labels, ...free.metadata.annotations }).join()).not.toContain(
    'propagationpolicy.karmada.io',
  )
  expect(unclaimed(template, 'PropagationPolicy')).toBe(template)
})

it('what is left of a claim in annotations alone is taken away too', () => {
  const rest = without(ID, 'labels')
  expect(unclaimed(rest, 'PropagationPolicy').metadata.annotations).not.toHaveProperty(
    'propagationpolicy.karmada.io/name',
  )
})
