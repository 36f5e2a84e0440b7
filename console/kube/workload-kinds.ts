import type { ObjectType } from './object.js'

/** The kinds of workloads, by their names in addresses. */
export const workloadKinds = {
  deployments: { kind: 'Deployment', apiVersion: 'apps/v1' },
  statefulsets: { kind: 'StatefulSet', apiVersion: 'apps/v1' },
  daemonsets: { kind: 'DaemonSet', apiVersion: 'apps/v1' },
  jobs: { kind: 'Job', apiVersion: 'batch/v1' },
  cronjobs: { kind: 'CronJob', apiVersion: 'batch/v1' },
} as const

export type WorkloadKind = keyof typeof workloadKinds

export const isWorkloadKind = (text: unknown): text is WorkloadKind =>
  typeof text === 'string' && Object.hasOwn(workloadKinds, text)

/** The console's name of a workload's kind; undefined for other objects. */
export const workloadKindOf = (apiVersion: string, kind: string): WorkloadKind | undefined =>
  (Object.keys(workloadKinds) as WorkloadKind[]).find(
    name => workloadKinds[name].kind === kind && workloadKinds[name].apiVersion === apiVersion,
  )

/** The type of a kind's objects. */
export function workloadType(kind: WorkloadKind): ObjectType {
  const { kind: name, apiVersion } = workloadKinds[kind]
  const [group = '', version = ''] = apiVersion.split('/')
  return { group, version, resource: kind, kind: name, isNamespaced: true }
}
