import type { MessageInitShape } from '@bufbuild/protobuf'
import type { KubeObject } from '../../../manifests/kube.js'
import { EventSchema } from '../../../proto/gen/kairship/core_pb.js'
import type { Place } from '../../objects/object-type.js'
import type { Kind } from '../kind/kind-handlers.js'
import { kubeMessage } from '../kind/kube-message.js'
import { milliseconds } from '../kind/object-meta.js'

/** v1 Event, in the two forms in which reporters write it: with a count, or with a series. */
export interface Event extends KubeObject {
  readonly involvedObject?: { readonly kind?: string; readonly name?: string; readonly uid?: string }
  readonly type?: string
  readonly count?: number
  readonly source?: { readonly component?: string; readonly host?: string }
  readonly reportingComponent?: string
  readonly reportingInstance?: string
  readonly firstTimestamp?: string | null
  readonly lastTimestamp?: string | null
  readonly eventTime?: string | null
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string }
}

type EventMessage = MessageInitShape<typeof EventSchema>

/** Events. */
export const events: Kind<Event, EventMessage> = {
  type: { group: '', version: 'v1', resource: 'events', kind: 'Event', namespaced: true },
  message: eventMessage,
}

export function eventMessage(event: Event, { cluster = '' }: Place): EventMessage {
  const { count, series, source, reportingComponent = '', reportingInstance = '', metadata } = event
  const { firstTimestamp, eventTime } = event
  return {
    ...kubeMessage(EventSchema, event),
    cluster,
    count: count || series?.count || 1,
    source: {
      component: source?.component || reportingComponent,
      host: source?.host || reportingInstance,
    },
    firstTimestamp: milliseconds(firstTimestamp || eventTime || metadata.creationTimestamp),
    lastTimestamp: milliseconds(lastSeen(event)),
  }
}

/** When it was seen last, RFC 3339. */
export const lastSeen = ({ series, lastTimestamp, eventTime, metadata }: Event): string =>
  series?.lastObservedTime || lastTimestamp || eventTime || metadata.creationTimestamp || ''
