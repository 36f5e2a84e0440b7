import type { ObjectType } from '../kube/object.js'

/** The kinds of policies, by their names in addresses. */
export const policyKinds = {
  propagationpolicies: { kind: 'PropagationPolicy', isNamespaced: true, isOverride: false },
  clusterpropagationpolicies: { kind: 'ClusterPropagationPolicy', isNamespaced: false, isOverride: false },
  overridepolicies: { kind: 'OverridePolicy', isNamespaced: true, isOverride: true },
  clusteroverridepolicies: { kind: 'ClusterOverridePolicy', isNamespaced: false, isOverride: true },
} as const

export type PolicyKind = keyof typeof policyKinds

export const isPolicyKind = (text: unknown): text is PolicyKind =>
  typeof text === 'string' && Object.hasOwn(policyKinds, text)

/** The console's name of a manifest's `kind`; undefined where it is no policy. */
export const policyKindOf = (kind: string): PolicyKind | undefined =>
  Object.keys(policyKinds)
    .filter(isPolicyKind)
    .find(one => policyKinds[one].kind === kind)

export const policyType = (kind: PolicyKind): ObjectType => ({
  group: 'policy.karmada.io',
  version: 'v1alpha1',
  resource: kind,
  kind: policyKinds[kind].kind,
  isNamespaced: policyKinds[kind].isNamespaced,
})

/** Stands for the namespace of cluster-scoped policies in addresses. No namespace can have this name. */
export const NO_NAMESPACE = '-'

/** The first text of a new policy. */
export function sketchOf(kind: PolicyKind, namespace: string): string {
  const { kind: word, isNamespaced, isOverride } = policyKinds[kind]
  const head = [
    'apiVersion: policy.karmada.io/v1alpha1',
    `kind: ${word}`,
    'metadata:',
    '  name: new-policy',
    ...(isNamespaced ? [`  namespace: ${namespace || 'default'}`] : []),
    'spec:',
    '  resourceSelectors:',
    '  - apiVersion: apps/v1',
    '    kind: Deployment',
  ]
  const rest = isOverride
    ? [
        '  overrideRules:',
        '  - overriders:',
        '      imageOverrider:',
        '      - component: Tag',
        '        operator: replace',
        '        value: latest',
      ]
    : ['  placement:', '    replicaScheduling:', '      replicaSchedulingType: Duplicated']
  return `${[...head, ...rest].join('\n')}\n`
}
