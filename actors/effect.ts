import { fromPromise } from 'xstate'
import { Failed, type Failure, type Stage } from '../machines/failure.js'
import type { Assignment } from '../machines/task.js'
import { fail, failureOf } from './failure.js'
import { deadline } from './kube/deadline.js'
import type { Surroundings } from './surroundings.js'

/** What an effect does, given everything. Its signal is aborted when leadership or the reason for it is lost. */
export type Work = (assignment: Assignment, signal: AbortSignal) => Promise<string>

/**
 * An effect is given up after this long: well above any healthy write, and short enough that a hanging host shows up in a
 * condition. The lease's margin does not depend on it, because losing the lease aborts the effect at once.
 */
const DEADLINE_MS = 20_000

/**
 * Fills a hole of the chart: runs the work when it is its turn, with a deadline, reports how it went, and turns any error into
 * a Failure. Work inside an instance waits for other turns than work on the host: those of instances that do not answer pass.
 */
export const provided = (
  {
    effectChanged,
    leadership,
    writing,
    visiting,
  }: Pick<Surroundings, 'effectChanged' | 'leadership' | 'writing' | 'visiting'>,
  { name: effect, stage, inside = false }: { name: string; stage: Stage; inside?: boolean },
  work: Work,
) => {
  async function run(input: Assignment, signal: AbortSignal): Promise<string> {
    const began = performance.now()
    const tell = (phase: 'succeeded' | 'failed' | 'aborted', failure?: Failure) =>
      effectChanged({
        instance: input.name,
        effect,
        phase,
        seconds: (performance.now() - began) / 1000,
        ...(failure && { reason: failure.reason, message: failure.message }),
      })
    effectChanged({ instance: input.name, effect, phase: 'began' })
    try {
      const { leading, signal: term } = leadership()
      // A process that slept may have lost the lease without having been told.
      if (!leading) fail('NotLeading', stage, 'this replica does not lead')
      const limit = deadline([signal, term], DEADLINE_MS)
      const outcome = await work(input, limit.signal).finally(limit.clear)
      tell('succeeded')
      return outcome
    } catch (error) {
      const failure = failureOf(error, stage)
      tell(signal.aborted ? 'aborted' : 'failed', failure)
      throw new Failed(failure, { cause: error })
    }
  }

  return fromPromise<string, Assignment>(async ({ input, signal }) => {
    const leave = await (inside ? visiting : writing).enter(signal) // rejects when the state is left, and then nobody listens
    return run(input, signal).finally(leave)
  })
}
