/**
 * The files of Karmada's suite that say what Kairship's playground must do as Karmada does: propagation, overrides, dependencies,
 * scheduling, status, rescheduling, namespaces. Others are run with `--file`.
 */
export const ROUTINE_FILES = [
  'propagationpolicy',
  'clusterpropagationpolicy',
  'overridepolicy',
  'clusteroverridepolicy',
  'dependenciesdistributor',
  'scheduling',
  'fieldselector',
  'tainttoleration',
  'resource',
  'rescheduling',
  'namespace',
  'clusterresourcebinding',
]

/** Specs that say that they create clusters. Those that do so without saying it get them from `cluster-site.ts`. */
export const LEFT_OUT = '!needCreateCluster'
