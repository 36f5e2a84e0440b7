import type { KubeObject, ObjectMeta } from '../../../manifests/kube.js'
import { StatusError } from '../../../manifests/status-error.js'
import { deadline } from '../../../ports/cancellation.js'
import type { Call } from '../../call/call.js'
import { Failure } from '../../errors/failure.js'
import { toFailure } from '../../errors/to-failure.js'

/** How long taking back may take as a whole, milliseconds. It goes on when the caller has hung up. */
const UNDO_MS = 20_000

interface Step {
  /** The made thing, as a sentence names what is left of it. */
  readonly what: string
  readonly run: (signal: AbortSignal) => Promise<unknown>
}

/** Whether an API server itself refused: whatever fails otherwise may have been executed. */
const isRefusal = (error: unknown): boolean =>
  error instanceof StatusError
    ? error.code < 500
    : error instanceof Failure && error.details.cause !== undefined && isRefusal(error.details.cause)

/** Takes back what a call made before it failed, the last first. */
export class Undo {
  #steps: Step[] = []

  /**
   * Makes something, to be taken back by its uid. Where no answer says whether it was made, it is taken back by its name: call it
   * only for what was not there before.
   * @param make undefined when another caller created it first: that object is not rolled back
   * @param takeBack of what is gone it makes no failure
   */
  async make<T extends KubeObject>(
    what: string,
    make: () => Promise<T | undefined>,
    takeBack: (signal: AbortSignal, made?: ObjectMeta) => Promise<unknown>,
  ): Promise<T | undefined> {
    let metadata: ObjectMeta | undefined
    const step: Step = { what, run: signal => takeBack(signal, metadata) }
    this.#steps.push(step)
    const made = await make().catch((error: unknown) => {
      // A refusal says that nothing was made.
      if (isRefusal(error)) this.#forget(step)
      throw error
    })
    if (made) metadata = made.metadata
    else this.#forget(step)
    return made
  }

  #forget(step: Step): void {
    this.#steps = this.#steps.filter(one => one !== step)
  }

  /**
   * Takes everything back, each step once, also after another failed.
   * @returns the failure to answer with: that of the call, and what could not be taken back
   */
  async after(error: unknown, call: Pick<Call, 'log'>): Promise<Failure> {
    const failure = toFailure(error)
    const { signal, clear } = deadline([], UNDO_MS)
    const left: string[] = []
    for (const { what, run } of [...this.#steps].reverse()) {
      try {
        await run(signal)
      } catch (failed) {
        left.push(what)
        call.log.warn({ err: failed, left: what }, 'what a failed call made could not be taken back')
      }
    }
    clear()
    this.#steps = []
    if (left.length === 0) return failure
    return new Failure(
      failure.code,
      `${failure.message}. This is left of it: ${left.join(', ')}`,
      failure.details,
    )
  }
}
