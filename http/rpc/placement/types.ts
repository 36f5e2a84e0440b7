import {
  CLUSTER,
  CLUSTER_OVERRIDE_POLICY,
  CLUSTER_PROPAGATION_POLICY,
  CLUSTER_RESOURCE_BINDING,
  OVERRIDE_POLICY,
  PROPAGATION_POLICY,
  RESOURCE_BINDING,
  WORK,
} from '../kind/object-types.js'

/** Karmada's objects on the way of a template into its members. */
export const TYPES = {
  propagationPolicy: PROPAGATION_POLICY,
  clusterPropagationPolicy: CLUSTER_PROPAGATION_POLICY,
  overridePolicy: OVERRIDE_POLICY,
  clusterOverridePolicy: CLUSTER_OVERRIDE_POLICY,
  binding: RESOURCE_BINDING,
  clusterBinding: CLUSTER_RESOURCE_BINDING,
  work: WORK,
  cluster: CLUSTER,
} as const
