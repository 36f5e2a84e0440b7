import { serviceClient } from '../../client/service-client.js'
import {
  type Instance,
  InstanceService,
  WatchInstancesResponse_Type as Type,
} from '../../proto/gen/kairship/instance_pb.js'
import { rest } from '../connection/rest.js'
import type { Source } from '../live/live-page.js'

const service = serviceClient(InstanceService, rest)

/** Instances on one page: as many cards as two screens show. */
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

/** The instances whose name or alias has a text, a page of them. */
export const instances = ({ name, page }: { name: string; page: number }): Source<Instance> => ({
  async list(signal) {
    const { items, pagination } = await service.listInstances({ name, page, pageSize: PAGE_SIZE }, { signal })
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
