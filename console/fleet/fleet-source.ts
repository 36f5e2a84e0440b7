import { type Instance, WatchInstancesResponse_Type as Type } from '../../proto/gen/kairship/instance_pb.js'
import { instances } from '../connection/instance-service.js'
import { changesOf } from '../live/changes.js'
import type { Source } from '../live/source.js'
import { type Sort, sortRequest } from '../tables/sort.js'

/** Cards on one page: as many as two screens show. */
export const PAGE_SIZE = 48

/** The instances to show. */
interface FleetFilter {
  /** A text in the name or the alias. */
  readonly name: string
  readonly needsAttention: boolean
}

/** The instances that a filter chooses, in an order; by name where that is undefined. */
export const fleetSource = (filter: FleetFilter, sort?: Sort): Source<Instance> => ({
  async list(page, signal) {
    const { items, pagination } = await instances.listInstances(
      { ...filter, ...sortRequest(sort), ...page },
      { signal },
    )
    return { items, total: pagination?.total ?? items.length }
  },
  watch: (resumeToken, signal) =>
    changesOf(
      instances.watchInstances({ ...filter, resumeToken }, { signal }),
      ({ instance }) => instance,
      Type,
    ),
  keyOf: ({ metadata }) => metadata?.name ?? '',
  isStable: sort !== 'state' && sort !== '-state',
})
