import { serviceClient } from '../../client/service-client.js'
import { FleetScope, FleetService } from '../../proto/gen/kairship/fleet_pb.js'
import { instances } from '../connection/instance-service.js'
import { rest } from '../connection/rest.js'
import { isPolicyKind, NO_NAMESPACE } from '../policies/policy-kinds.js'

const fleet = serviceClient(FleetService, rest)

/** The kinds that are searched, in the order of the results. */
export const searched = [
  'instances',
  'clusters',
  'deployments',
  'statefulsets',
  'daemonsets',
  'jobs',
  'cronjobs',
  'propagationpolicies',
  'clusterpropagationpolicies',
  'overridepolicies',
  'clusteroverridepolicies',
] as const

export type Searched = (typeof searched)[number]

/** One result. */
export interface Found {
  readonly name: string
  /** Absent where the result is an instance. */
  readonly instance?: string
  /** Absent where the result has none. */
  readonly namespace?: string
}

/** The results of one kind. */
export interface Results {
  readonly found: readonly Found[]
  /** The number of matches, with those that are not shown. */
  readonly total: number
  /** Instances that did not answer. */
  readonly unread: readonly string[]
}

/** The number of results of each kind. A longer text narrows them. */
const MOST = 6

const versions: Readonly<Record<Exclude<Searched, 'instances'>, { group: string; version: string }>> = {
  clusters: { group: 'cluster.karmada.io', version: 'v1alpha1' },
  deployments: { group: 'apps', version: 'v1' },
  statefulsets: { group: 'apps', version: 'v1' },
  daemonsets: { group: 'apps', version: 'v1' },
  jobs: { group: 'batch', version: 'v1' },
  cronjobs: { group: 'batch', version: 'v1' },
  propagationpolicies: { group: 'policy.karmada.io', version: 'v1alpha1' },
  clusterpropagationpolicies: { group: 'policy.karmada.io', version: 'v1alpha1' },
  overridepolicies: { group: 'policy.karmada.io', version: 'v1alpha1' },
  clusteroverridepolicies: { group: 'policy.karmada.io', version: 'v1alpha1' },
}

/** Searches all instances for things of a kind whose name contains a text. The server finds, sorts and counts. */
export async function search(kind: Searched, name: string, signal: AbortSignal): Promise<Results> {
  if (kind === 'instances') {
    const { items, pagination } = await instances.listInstances({ name, page: 1, pageSize: MOST }, { signal })
    return {
      found: items.map(({ metadata }) => ({ name: metadata?.name ?? '' })),
      total: pagination?.total ?? items.length,
      unread: [],
    }
  }
  const { items, pagination, places } = await fleet.listFleetObjects(
    { ...versions[kind], resource: kind, scope: FleetScope.CONTROL_PLANES, name, page: 1, pageSize: MOST },
    { signal },
  )
  return {
    found: items.map(({ instance, metadata }) => ({
      name: metadata?.name ?? '',
      instance,
      ...(metadata?.namespace && { namespace: metadata.namespace }),
    })),
    total: pagination?.total ?? items.length,
    unread: places.filter(({ error }) => error).map(({ instance }) => instance),
  }
}

/** The address of a result's screen. */
export function addressOf(kind: Searched, { name, instance = name, namespace }: Found): string {
  const part = encodeURIComponent
  const at = `/instances/${part(instance)}`
  if (kind === 'instances') return at
  if (kind === 'clusters') return `${at}/clusters/${part(name)}`
  if (isPolicyKind(kind)) return `${at}/policies/${kind}/${part(namespace ?? NO_NAMESPACE)}/${part(name)}`
  return `${at}/workloads/${kind}/${part(namespace ?? '')}/${part(name)}`
}
