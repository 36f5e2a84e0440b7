import type { ObjectType } from '../../objects/object-type.js'

const policy = (resource: string, kind: string, namespaced: boolean): ObjectType => ({
  ...{ group: 'policy.karmada.io', version: 'v1alpha1', resource },
  ...{ kind, namespaced },
})
const work = (version: string, resource: string, kind: string, namespaced: boolean): ObjectType => ({
  ...{ group: 'work.karmada.io', version, resource },
  ...{ kind, namespaced },
})

/** Karmada's objects on the way of a template into its members. */
export const TYPES = {
  propagationPolicy: policy('propagationpolicies', 'PropagationPolicy', true),
  clusterPropagationPolicy: policy('clusterpropagationpolicies', 'ClusterPropagationPolicy', false),
  overridePolicy: policy('overridepolicies', 'OverridePolicy', true),
  clusterOverridePolicy: policy('clusteroverridepolicies', 'ClusterOverridePolicy', false),
  binding: work('v1alpha2', 'resourcebindings', 'ResourceBinding', true),
  clusterBinding: work('v1alpha2', 'clusterresourcebindings', 'ClusterResourceBinding', false),
  work: work('v1alpha1', 'works', 'Work', true),
  cluster: {
    ...{ group: 'cluster.karmada.io', version: 'v1alpha1', resource: 'clusters' },
    ...{ kind: 'Cluster', namespaced: false },
  },
} as const satisfies Readonly<Record<string, ObjectType>>
