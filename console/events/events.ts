import { serviceClient } from '../../client/service-client.js'
import { CoreService, type Event, EventType } from '../../proto/gen/kairship/core_pb.js'
import { rest } from '../connection/rest.js'
import { changesOf } from '../live/changes.js'
import type { Source } from '../live/source.js'
import type { EventSearch } from './event-search.js'

export const core = serviceClient(CoreService, rest)

/** The events of a control plane or of a member cluster; those seen last come first. */
export const events = (instance: string, search: EventSearch): Source<Event> => {
  const { find = '', cluster = '', kind = '', warnings } = search
  const wanted = { instance, cluster, kind, name: find, type: warnings ? [EventType.Warning] : [] }
  return {
    async list(page, signal) {
      const { items, pagination } = await core.listInstanceEvents({ ...wanted, ...page }, { signal })
      return { items, total: pagination?.total ?? items.length }
    },
    watch: (resumeToken, signal) =>
      changesOf(core.watchEvents({ ...wanted, resumeToken }, { signal }), ({ event }) => event),
    keyOf: eventKey,
  }
}

/** Kubernetes counts an event that happens again in the same object: what stays the same names it. */
export const eventKey = (event: Event): string => {
  const { involvedObject: object, source, reason, firstTimestamp, cluster, message } = event
  return [
    cluster,
    object?.kind,
    object?.namespace,
    object?.name,
    reason,
    source?.component,
    firstTimestamp,
    message,
  ].join(' ')
}
