import { Turns } from '../../../actors/kube/turns.js'

/** Longer than a turn may last, milliseconds. */
export const LONG = 50

/** A clock, and turns that end when they are told to. */
export function turnsUnderTest() {
  let now = 0
  let waiting: (() => void)[] = []
  const turns = new Turns({ now: () => now, nextTurn: begin => void waiting.push(begin) })
  return {
    turns,
    pass(ms: number) {
      now += ms
    },
    /** The event loop comes round: who waits is called back, and does what follows at once. */
    async nextTurn() {
      const due = waiting
      waiting = []
      for (const begin of due) {
        begin()
        await new Promise(resolve => setImmediate(resolve))
      }
    },
  }
}

/** Of an event loop that has time for all of it at once: no turn is ever over. */
export const UNHURRIED: Pick<Turns, 'isOver' | 'mine'> = {
  isOver: () => false,
  mine: () => Promise.resolve(),
}
