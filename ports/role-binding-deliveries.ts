import type { DeliveredBinding } from '../manifests/delivered-binding.js'

/** Something that Global Management says has happened. */
export type RoleBindingEvent = {
  /** Counted up by the sender with every change of anything: of two events the one with the larger number is the newer. */
  readonly sequence: number
  /** RFC 3339. */
  readonly occurredAt: string
} & (
  | {
      readonly type: 'binding.created' | 'binding.updated' | 'binding.deleted'
      readonly binding: DeliveredBinding
    }
  | { readonly type: 'user.deleted' | 'group.deleted'; readonly name: string }
)

/**
 * What became of a delivery: it is stored; it was stored before; or something newer is, and it is left out. Each is an acknowledgement.
 */
export type Reception = 'stored' | 'unchanged' | 'outdated'

/** Where deliveries are stored: as objects on the host, so that the watches bring them to every replica. */
export interface RoleBindingDeliveries {
  /**
   * Stores what an event says, once and for all its repetitions. It resolves when the host has it.
   * @throws ForeignBindingError; BusyBindingError; StatusError, UnreachableError as `KubeApi.request`
   */
  take(event: RoleBindingEvent, signal: AbortSignal): Promise<Reception>
}

/** A binding of this name is there, and was not delivered: it is somebody else's. */
export class ForeignBindingError extends Error {
  override readonly name = 'ForeignBindingError'
}

/** Others wrote the same binding again and again meanwhile: to be delivered again. */
export class BusyBindingError extends Error {
  override readonly name = 'BusyBindingError'
}
