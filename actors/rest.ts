import { type AnyEventObject, fromCallback } from 'xstate'
import type { ClockEvent } from '../machines/events.js'
import { jittered } from '../machines/retry.js'
import type { RestInput } from '../machines/vocabulary.js'

/**
 * The clock actor: says until when it rests, and then that it has. A rest that was under way before goes on, for no longer
 * than it would last anew: the clock by which it was to end may have been set back meanwhile.
 */
export const rest = (random: () => number) =>
  fromCallback<AnyEventObject, RestInput, ClockEvent>(
    ({ input: { task, ms, until: promised, told }, sendBack }) => {
      const until = promised ?? Date.now() + jittered(ms, random())
      if (told) sendBack({ type: 'rest.began', task, until })
      const left = Math.min(ms, Math.max(0, until - Date.now()))
      const timer = setTimeout(() => sendBack({ type: 'rest.ended', task }), left)
      return () => clearTimeout(timer)
    },
  )
