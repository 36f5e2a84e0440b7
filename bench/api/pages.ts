import { virtualClusterName } from '../../manifests/instance.js'
import { indexPath, READ_API } from '../../manifests/pedia-cluster.js'
import { CoreService } from '../../proto/gen/kairship/core_pb.js'
import { FleetService } from '../../proto/gen/kairship/fleet_pb.js'
import { SortBy, SortDir } from '../../proto/gen/kairship/types_pb.js'
import type { ApiCredentials } from '../../test/real/api-client.js'
import type { BothWires, Way } from './ways.js'

export const API = '/apis/kairship.io/v1alpha1'
export const CONFIG_MAPS = { version: 'v1', resource: 'configmaps' } as const
/** A page of a fleet list ends among so many objects. */
const DEEPEST = 10_000

/** The ConfigMaps that pages are of. */
export interface Listed {
  /** How many instances have them, and how many these have together. */
  readonly instances: number
  readonly objects: number
  readonly namespace: string
  /** One of the instances. */
  readonly instance: string
}

/** Where the same pages are without Kairship. */
export interface Sources {
  /** The host's API server, which serves the index. */
  readonly host: ApiCredentials
  /** The API server of `Listed.instance`. */
  readonly karmada?: ApiCredentials
  /** What follows the middle page of the fleet. */
  readonly pageToken?: string
}

/** The middle one of the pages that have a number. */
export const middlePage = (objects: number, pageSize: number): number =>
  Math.max(1, Math.floor(Math.min(objects, DEEPEST) / pageSize / 2))

/** Ways to each page, by what it is. */
export type Pages = Readonly<Record<string, readonly Way[]>>

/** A page of one instance, from the middle of its objects: neither the first, which everything has at hand, nor the last. */
export function pageOfOne(
  wires: BothWires,
  { instances, objects, namespace, instance }: Listed,
  { host, karmada }: Sources,
  pageSize: number,
): Pages {
  const count = Math.floor(objects / instances)
  const page = Math.max(1, Math.floor(count / pageSize / 2))
  const path = `/namespaces/${namespace}/configmaps`
  const below = indexPath(virtualClusterName(instance))
  return {
    [`page of ${pageSize} of ${count}`]: [
      wires.rest(`${API}/instances/${instance}${path}?page=${page}&pageSize=${pageSize}&sortBy=field_name`),
      wires.grpc(CoreService.method.listConfigMaps, {
        ...{ instance, namespace, page, pageSize, sortBy: SortBy.field_name },
      }),
      // An API server can only begin at the front.
      ...(karmada
        ? [wires.direct('Karmada directly (first page)', karmada, `/api/v1${path}?limit=${pageSize}`)]
        : []),
      wires.direct(
        'index directly',
        host,
        `${below}/api/v1${path}?limit=${pageSize}&continue=${(page - 1) * pageSize}&orderby=name+desc,namespace&withRemainingCount=true`,
      ),
    ],
  }
}

/** Pages of a list over all instances. */
export function pagesOfFleet(
  wires: BothWires,
  { instances, objects, namespace }: Listed,
  { host, pageToken }: Sources,
  pageSize: number,
): Pages {
  const middle = middlePage(objects, pageSize)
  const list = (query: Readonly<Record<string, string>>): Way =>
    wires.rest(
      `${API}/fleet/objects?${new URLSearchParams({ ...CONFIG_MAPS, namespace, pageSize: String(pageSize), ...query })}`,
    )
  /** The index has a list over all clusters, too. */
  const direct = (query: string): Way =>
    wires.direct(
      'index directly',
      host,
      `${READ_API}/api/v1/namespaces/${namespace}/configmaps?limit=${pageSize}&withRemainingCount=true&${query}`,
    )
  const method = FleetService.method.listFleetObjects
  const common = { ...CONFIG_MAPS, namespace, pageSize }
  const byTime = { sortBy: SortBy.created_at, sortDir: SortDir.desc, labelSelector: 'tier=t3' }
  const of = `${pageSize} of ${objects} in ${instances} instances`
  return {
    [`first ${of}, by name`]: [
      list({ sortBy: 'field_name' }),
      wires.grpc(method, { ...common, sortBy: SortBy.field_name }),
      direct('orderby=name+desc,cluster,namespace'),
    ],
    [`first ${of}, by time, of a label`]: [
      list({ sortBy: 'created_at', sortDir: 'desc', labelSelector: 'tier=t3' }),
      wires.grpc(method, { ...common, ...byTime }),
      direct('orderby=created_at+desc,cluster,namespace,name&labelSelector=tier%3Dt3'),
    ],
    [`page ${middle} of ${of}, by name`]: [
      list({ sortBy: 'field_name', page: String(middle) }),
      wires.grpc(method, { ...common, sortBy: SortBy.field_name, page: middle }),
      direct(`orderby=name+desc,cluster,namespace&continue=${(middle - 1) * pageSize}`),
    ],
    ...(pageToken && {
      [`page ${middle + 1} of ${of}, by name, by its token`]: [
        list({ sortBy: 'field_name', pageToken }),
        wires.grpc(method, { ...common, sortBy: SortBy.field_name, pageToken }),
        direct(`orderby=name+desc,cluster,namespace&continue=${middle * pageSize}`),
      ],
    }),
  }
}
