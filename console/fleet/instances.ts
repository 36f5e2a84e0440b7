import { serviceClient } from '../../client/service-client.js'
import {
  type Instance,
  InstanceService,
  WatchInstancesResponse_Type as Type,
} from '../../proto/gen/kairship/instance_pb.js'
import { rest } from '../connection/rest.js'
import { changesOf } from '../live/changes.js'
import type { Source } from '../live/source.js'

const service = serviceClient(InstanceService, rest)

/** Cards on one page: as many as two screens show. */
export const PAGE_SIZE = 48

/** The instances whose name or alias has a text. */
export const instances = (name: string): Source<Instance> => ({
  async list(page, signal) {
    const { items, pagination } = await service.listInstances({ name, ...page }, { signal })
    return { items, total: pagination?.total ?? items.length }
  },
  watch: (resumeToken, signal) =>
    changesOf(service.watchInstances({ name, resumeToken }, { signal }), ({ instance }) => instance, Type),
  keyOf: ({ metadata }) => metadata?.name ?? '',
})
