/** What the other side of a fleet bench tells it: a playground (`fleet-host.ts`) or a stand-in (`fleet-stand-in.ts`). */
export type FleetMessage =
  | { readonly kind: 'up'; readonly kubeconfig: string }
  /** So many instances are ready by now. */
  | { readonly kind: 'progress'; readonly ready: number }
  /** All instances are ready; milliseconds from the registration to the first. */
  | { readonly kind: 'ready'; readonly firstMs: number; readonly lastMs: number }
  /** There are as many instances as asked for: all are ready, the others gone. */
  | { readonly kind: 'resized'; readonly ms: number }
  /** Another replica took the lease; when the host executed it. */
  | { readonly kind: 'leader'; readonly identity: string; readonly atEpochMs: number }
  /** How long each change took to be seen, milliseconds. */
  | { readonly kind: 'noticed'; readonly ms: readonly number[] }

/** What the bench asks of it. */
export type FleetRequest =
  | { readonly kind: 'register' }
  /** Creates or deletes instances until there are so many. */
  | { readonly kind: 'resize'; readonly to: number }
  | { readonly kind: 'report the next leader'; readonly not: string }
  /** Lets Global Management refuse instances and accept them again, one after the other, so often. */
  | { readonly kind: 'flap'; readonly times: number }
  | { readonly kind: 'stop' }

/** Tells the bench. */
export const tell = (message: FleetMessage): void => void process.send?.(message)
