import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long work within the process may keep sockets and timers waiting, milliseconds: short for people and for probes. */
const PATIENCE_MS = 100

/** When the current turn of the event loop was first asked about. */
let begun: number | undefined

/**
 * Lets the event loop serve sockets and timers, where it has not for a while. Controllers and API servers of a playground talk to each
 * other without sockets: what one promise leads to the next does, and a Deployment of thousands of pods would keep all others
 * waiting until the last pod runs.
 * @returns undefined where there is nothing to wait for
 */
export function turn(): Promise<void> | undefined {
  const now = performance.now()
  if (begun === undefined) {
    begun = now
    setImmediate(() => {
      begun = undefined
    })
  }
  return now - begun < PATIENCE_MS ? undefined : nextTurn()
}
