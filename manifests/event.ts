import { INSTANCES, type Instance } from './instance.js'
import type { KubeObject, ObjectMeta } from './kube.js'

/** Core v1 Events: what `kubectl describe` and `kubectl get events` show. */
export const EVENTS = { group: '', version: 'v1', resource: 'events' } as const
/** Events about cluster-scoped objects live here; an API server accepts them nowhere else. */
export const EVENT_NAMESPACE = 'default'
/** An API server refuses longer messages (core/v1 Event validation). */
const MESSAGE_LIMIT = 1024

/** Something that happened to an Instance, for people. */
export interface Happening {
  readonly type: 'Normal' | 'Warning'
  /** CamelCase, at most 128 characters. */
  readonly reason: string
  readonly message: string
}

/** A core v1 Event as far as Kairship writes it. */
export interface KubeEvent extends KubeObject {
  readonly metadata: ObjectMeta
  readonly involvedObject: {
    readonly apiVersion: string
    readonly kind: string
    readonly name: string
    readonly uid?: string
    readonly resourceVersion?: string
  }
  readonly type: Happening['type']
  readonly reason: string
  readonly message: string
  readonly source: { readonly component: string }
  readonly count: number
  readonly firstTimestamp: string
  readonly lastTimestamp: string
}

/** The Event about a happening to an Instance. @param suffix makes its name unique; lower-case letters and digits */
export function renderEvent(
  { metadata: { name, uid, resourceVersion } }: Instance,
  { type, reason, message }: Happening,
  { suffix, now }: { suffix: string; now: string },
): KubeEvent {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${suffix}`, namespace: EVENT_NAMESPACE },
    involvedObject: {
      apiVersion: `${INSTANCES.group}/${INSTANCES.version}`,
      kind: 'Instance',
      name,
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    type,
    reason,
    message: message.length > MESSAGE_LIMIT ? `${message.slice(0, MESSAGE_LIMIT - 1)}…` : message,
    source: { component: 'kairship' },
    count: 1,
    firstTimestamp: now,
    lastTimestamp: now,
  }
}
