import { type AnyEventObject, fromCallback, fromPromise, type NonReducibleUnknown } from 'xstate'
import type { Failure } from './failure.js'

/** A chart was run without an effect that it invokes: `provide` is missing. Never retried. */
class NotProvided extends Error {
  override readonly name = 'NotProvided'
  readonly failure: Failure
  constructor(what: string) {
    super(`the effect '${what}' is not provided`)
    this.failure = { reason: 'NotProvided', stage: 'status', message: this.message }
  }
}

/**
 * Declares an effect of a chart: it runs once and ends, such as the write of an object. The chart only names it; `actors/`
 * provides it. Its signal aborts when the state that invoked it is left. It may run twice. It fails with an error that
 * carries a `failure` (see `failure.ts`).
 */
export const effect = <Out, In extends NonReducibleUnknown>(name: string) =>
  fromPromise<Out, In>(() => Promise.reject(new NotProvided(name)))

/**
 * Declares an observer of a chart: it reports facts until its state is left, and never ends by itself. A chart that runs
 * without it gets no facts from it.
 */
export const observer = <In extends NonReducibleUnknown, Fact extends AnyEventObject = AnyEventObject>() =>
  fromCallback<AnyEventObject, In, Fact>(() => undefined)
