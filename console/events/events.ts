import { serviceClient } from '../../client/service-client.js'
import { CoreService, type Event, EventType } from '../../proto/gen/kairship/core_pb.js'
import { rest } from '../connection/rest.js'
import { changesOf } from '../live/changes.js'
import type { Source } from '../live/source.js'
import type { EventSearch } from './event-search.js'

export const core = serviceClient(CoreService, rest)

/** The events of a control plane or of a member cluster, the most recent first. */
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

/** A key of an event. Kubernetes counts repetitions of an event in the same object, so the key consists of the fields that stay. */
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
