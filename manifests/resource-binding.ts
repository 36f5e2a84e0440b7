import type { Condition, KubeObject } from './kube.js'

/** `resourcebindings.work.karmada.io/v1alpha2`: what became of one propagated template. */
export const RESOURCE_BINDINGS = {
  group: 'work.karmada.io',
  version: 'v1alpha2',
  resource: 'resourcebindings',
} as const

/** Karmada's ResourceBinding, as far as statistics go. */
export interface ResourceBinding extends KubeObject {
  readonly spec?: { readonly resource?: { readonly kind?: string } }
  readonly status?: {
    readonly conditions?: readonly Condition[]
    readonly aggregatedStatus?: readonly { readonly clusterName: string; readonly health?: string }[]
  }
}

const plurals: Readonly<Record<string, string>> = {
  Deployment: 'deployments',
  StatefulSet: 'statefulsets',
  DaemonSet: 'daemonsets',
  Job: 'jobs',
}

/** The workload type that a binding propagates, by its plural; undefined for anything else. */
export const boundWorkload = ({ spec }: ResourceBinding): string | undefined =>
  plurals[spec?.resource?.kind ?? '']

/** Applied in every cluster it was scheduled to, and unhealthy in none. */
export const isBoundReady = ({ status }: ResourceBinding): boolean =>
  status?.conditions?.find(({ type }) => type === 'FullyApplied')?.status === 'True' &&
  (status.aggregatedStatus ?? []).every(({ health }) => health !== 'Unhealthy')
