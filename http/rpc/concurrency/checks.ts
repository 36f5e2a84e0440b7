import { pauseFor } from '../../objects/watch/changes-since.js'
import type { Source } from './started-together.js'

/** Rights that a stream rests on are asked for again after this time, milliseconds, also where nothing changes. */
export const CHECK_MS = 30_000

/** A source of a stream whose item comes each time that its rights are to be asked for again. */
export const checks = <T>(item: T): Source<T> => ({
  async *items(signal) {
    for (;;) {
      await pauseFor(CHECK_MS, { signal })
      yield item
    }
  },
})
