import { orAborted } from '../../ports/cancellation.js'
import { FairSlots, type Slot } from '../../ports/fair-slots.js'

/** An answer up to this size is read at once: pages of 500 objects seldom have more. The sockets of a connection bound how many there are. */
const LARGE = 4 << 20
/** Larger ones that are read and parsed at once, of all connections: each has 64 MiB at most. */
const AT_ONCE = 4

/**
 * The answers of more than 4 MiB that connections of one process read and parse at a time. An endpoint has half of the slots at most:
 * so those whose answers are large, or do not end, neither take all memory together nor keep the others waiting.
 */
export class LargeAnswers {
  readonly slots = new FairSlots(AT_ONCE)

  /** Begins an answer of an endpoint. Its `end` must be called when it was parsed. */
  begin(server: string): {
    readonly grown: (bytes: number, signal: AbortSignal) => Promise<void>
    end(): void
  } {
    let slot: Slot | undefined
    return {
      grown: async (bytes, signal) => {
        if (slot || bytes <= LARGE) return
        const granted = new Promise<void>(resolve => {
          slot = this.slots.take({ caller: server, instance: server }, resolve)
        })
        await orAborted(granted, signal)
      },
      end: () => slot?.release(),
    }
  }
}
