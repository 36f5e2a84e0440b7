import type { FleetObject } from '../../proto/gen/kairship/fleet_pb.js'

/** An event, as the fleet's list shows it. */
export interface FleetEvent {
  readonly key: string
  readonly instance: string
  /** Empty for an event of the control plane. */
  readonly cluster: string
  /** When it last happened, milliseconds since 1970. */
  readonly time: number
  readonly isWarning: boolean
  /** `Deployment shop/web`. */
  readonly object: string
  readonly reason: string
  readonly message: string
  readonly count: number
}

/** The fields of a Kubernetes Event (v1) that are shown. They come from outside and may have any type. */
interface CoreEvent {
  readonly type?: unknown
  readonly reason?: unknown
  readonly message?: unknown
  readonly count?: unknown
  readonly lastTimestamp?: unknown
  readonly eventTime?: unknown
  readonly series?: { readonly count?: unknown; readonly lastObservedTime?: unknown }
  readonly involvedObject?: {
    readonly kind?: unknown
    readonly namespace?: unknown
    readonly name?: unknown
  }
}

/** Makes an event of the list. */
export function eventOf({ instance, cluster, metadata, data }: FleetObject): FleetEvent {
  const event = parsed(data)
  const { involvedObject: of, series } = event
  const seen = [series?.lastObservedTime, event.lastTimestamp, event.eventTime]
    .map(when)
    .find(Number.isFinite)
  return {
    key: `${instance}/${cluster}/${metadata?.namespace}/${metadata?.name}`,
    instance,
    cluster,
    time: seen ?? Number(metadata?.creationTimestamp ?? 0n),
    isWarning: event.type === 'Warning',
    object: `${text(of?.kind)} ${[text(of?.namespace), text(of?.name)].filter(Boolean).join('/')}`,
    reason: text(event.reason),
    message: text(event.message),
    count: [series?.count, event.count].find(count => typeof count === 'number') ?? 1,
  }
}

function parsed(data: string): CoreEvent {
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    // Such an event is shown with its name and time.
    return {}
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const when = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : Number.NaN)
