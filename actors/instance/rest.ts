import { type AnyEventObject, fromCallback } from 'xstate'
import type { ClockEvent } from '../../machines/instance/events.js'
import type { RestInput } from '../../machines/instance/setup.js'
import { jittered } from '../../machines/retry.js'

/**
 * The clock actor: reports until when it rests, and then that the rest has ended. The end is counted by a timer and not by
 * the wall clock, which can be set meanwhile.
 */
export const rest = (random: () => number) =>
  fromCallback<AnyEventObject, RestInput, ClockEvent>(({ input: { task, ms, announce }, sendBack }) => {
    const rested = jittered(ms, random())
    if (announce) sendBack({ type: 'rest.began', task, until: Date.now() + rested })
    const timer = setTimeout(() => sendBack({ type: 'rest.ended', task }), rested)
    return () => clearTimeout(timer)
  })
