import { fromPromise } from 'xstate'
import { Failed, type Failure, type Stage } from '../../../machines/failure.js'
import type { Assignment } from '../../../machines/instance/task.js'
import { deadline } from '../../../ports/cancellation.js'
import { presentTerm } from '../../election/fenced-api.js'
import { NotLeadingError } from '../../election/leadership.js'
import { failureOf } from '../../kube/failure.js'
import type { InstanceDependencies } from '../dependencies.js'

/** What an effect does. Its signal aborts when the term ends, when the chart leaves the state, and after a deadline. */
export type Work = (assignment: Assignment, signal: AbortSignal) => Promise<string>

/**
 * An effect is given up after this long: well above any healthy write, and short enough that a hanging host shows up in a
 * condition. The lease's margin does not depend on it, because losing the lease aborts the effect at once.
 */
const DEADLINE_MS = 20_000

/**
 * Provides an effect of the chart: runs the work when the concurrency limiter lets it, with a deadline, reports how it went,
 * and turns any error into a Failure. Work inside instances and work on the host have limiters of their own, so that
 * instances that do not answer hold up no write to the host.
 *
 * The signal ends the work with the term in which it began. That no request is sent after a term is not decided here but by
 * `fenced`, for each request.
 */
export const leaderEffect = (
  {
    effectChanged,
    leadership,
    writing,
    visiting,
  }: Pick<InstanceDependencies, 'effectChanged' | 'leadership' | 'writing' | 'visiting'>,
  { name: effect, stage, inside = false }: { name: string; stage: Stage; inside?: boolean },
  work: Work,
) => {
  async function run(input: Assignment, signal: AbortSignal): Promise<string> {
    const began = performance.now()
    const report = (phase: 'succeeded' | 'failed' | 'aborted', failure?: Failure) =>
      effectChanged({
        instance: input.name,
        effect,
        phase,
        seconds: (performance.now() - began) / 1000,
        ...(failure && { reason: failure.reason, message: failure.message }),
      })
    effectChanged({ instance: input.name, effect, phase: 'began' })
    let term: AbortSignal | undefined
    try {
      term = presentTerm(leadership)
      const limit = deadline([signal, term], DEADLINE_MS)
      const outcome = await work(input, limit.signal).finally(limit.clear)
      report('succeeded')
      return outcome
    } catch (error) {
      // Work of several steps may say in its own words what the end of the term did to one of them.
      const failure = failureIn(term?.aborted ? term.reason : error, stage)
      report(signal.aborted || failure.reason === 'NotLeading' ? 'aborted' : 'failed', failure)
      throw new Failed(failure, { cause: error })
    }
  }

  // The limiter rejects when the state is left before there is a place; then nothing listens.
  return fromPromise<string, Assignment>(({ input, signal }) =>
    (inside ? visiting : writing).run(signal, () => run(input, signal)),
  )
}

const failureIn = (error: unknown, stage: Stage): Failure =>
  error instanceof NotLeadingError
    ? { reason: 'NotLeading', stage, message: error.message }
    : failureOf(error, stage)
