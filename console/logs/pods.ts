import { serviceClient } from '../../client/service-client.js'
import {
  CoreService,
  ListPodsForMemberClusterRequest_Kind as ListKind,
  type Pod,
  WatchPodsRequest_Kind as WatchKind,
} from '../../proto/gen/kairship/core_pb.js'
import { rest } from '../connection/rest.js'
import { changesOf } from '../live/changes.js'
import type { Source } from '../live/source.js'

const core = serviceClient(CoreService, rest)

/** A workload and a member cluster. */
export interface PodsOf {
  readonly instance: string
  readonly cluster: string
  readonly namespace: string
  readonly kind: string
  readonly name: string
}

/** The pods of a workload in a member cluster. */
export const podsOf = ({ instance, cluster, namespace, kind, name }: PodsOf): Source<Pod> => ({
  async list(page, signal) {
    const { items, pagination } = await core.listPodsForMemberCluster(
      { instance, cluster, namespace, kind: ofName(ListKind, kind), kindName: name, ...page },
      { signal },
    )
    return { items, total: pagination?.total ?? items.length }
  },
  watch: (resumeToken, signal) =>
    changesOf(
      core.watchPods(
        { instance, cluster, namespace, kind: ofName(WatchKind, kind), kindName: name, resumeToken },
        { signal },
      ),
      ({ pod }) => pod,
    ),
  keyOf: ({ metadata }) => metadata?.name ?? '',
})

/** The value of an enum by its name; the first for a name that it does not have. */
const ofName = <E extends Record<string, string | number>>(values: E, name: string): number => {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  return typeof value === 'number' ? value : 0
}
