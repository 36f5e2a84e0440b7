import { type AnyEventObject, fromCallback, fromPromise, type NonReducibleUnknown } from 'xstate'
import type { Failure } from './failure.js'

/** A chart was run without the thing it asks for: someone forgot to `provide` it. Never retried. */
class NotProvided extends Error {
  override readonly name = 'NotProvided'
  readonly failure: Failure
  constructor(what: string) {
    super(`nobody provides '${what}'`)
    this.failure = { reason: 'NotProvided', stage: 'status', message: this.message }
  }
}

/**
 * A hole in a chart: something that is done once and ends, such as writing an object. The chart only names it;
 * `actors/` fills it in by `provide`. Its signal is aborted when the state that asked for it is left. It may run twice.
 * It fails with an error that carries a `failure` (see `failure.ts`).
 */
export const effect = <Out, In extends NonReducibleUnknown>(name: string) =>
  fromPromise<Out, In>(() => Promise.reject(new NotProvided(name)))

/**
 * A hole in a chart: something that watches and reports facts until its state is left, and never ends by itself. A chart
 * that runs without it simply hears nothing.
 */
export const observer = <In extends NonReducibleUnknown, Fact extends AnyEventObject = AnyEventObject>() =>
  fromCallback<AnyEventObject, In, Fact>(() => undefined)
