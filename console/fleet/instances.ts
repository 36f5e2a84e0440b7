import { serviceClient } from '../../client/service-client.js'
import {
  type Instance,
  InstanceService,
  WatchInstancesResponse_Type as Type,
} from '../../proto/gen/kairship/instance_pb.js'
import { rest } from '../connection/rest.js'
import type { Source } from '../live/source.js'

const service = serviceClient(InstanceService, rest)

/** Cards on one page: as many as two screens show. */
export const PAGE_SIZE = 48

const types = {
  [Type.TYPE_UNSPECIFIED]: 'MODIFIED',
  [Type.RESET]: 'RESET',
  [Type.ADDED]: 'ADDED',
  [Type.MODIFIED]: 'MODIFIED',
  [Type.DELETED]: 'DELETED',
  [Type.BOOKMARK]: 'BOOKMARK',
  [Type.LEFT]: 'LEFT',
} as const

/** The instances whose name or alias has a text. */
export const instances = (name: string): Source<Instance> => ({
  async list(page, signal) {
    const { items, pagination } = await service.listInstances({ name, ...page }, { signal })
    return { items, total: pagination?.total ?? items.length }
  },
  async *watch(resumeToken, signal) {
    for await (const { type, instance, total, resumeToken: token } of service.watchInstances(
      { name, resumeToken },
      { signal },
    ))
      yield {
        type: types[type] ?? 'MODIFIED',
        ...(instance && { item: instance }),
        total,
        resumeToken: token,
      }
  },
  keyOf: ({ metadata }) => metadata?.name ?? '',
})
