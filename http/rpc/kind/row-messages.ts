import { ListChange_Type as Type } from '../../../proto/gen/kairship/types_pb.js'
import type { RowStep } from './shown-rows.js'

/** A message of a stream of rows. */
export interface RowMessage<R> {
  readonly type: Type
  /** Absent on RESET and BOOKMARK. */
  readonly row?: R
  readonly total: number
  readonly resumeToken: string
}

/** What a stream shows after a step of the lists that it is made of. */
export interface RowState {
  /** Equal for equal rows. */
  readonly digest: string
  readonly total: number
  /** Goes on after this state; empty where it cannot be named. */
  readonly token: string
}

/** The messages of a stream of rows that is derived from several lists, and which of them have a token. */
export class RowMessages {
  #isBegun = false
  /** The token that the reader received last. */
  #sent = ''

  /** @param known the digest of the rows that the reader has already; absent for a reader that has none */
  constructor(private readonly known: string | undefined) {}

  get isBegun(): boolean {
    return this.#isBegun
  }

  /**
   * The messages of steps. The first ones are the whole list, or none where the reader has it.
   * @param isCheck whether time has passed, and perhaps nothing else
   */
  after<R>(steps: readonly RowStep<R>[], state: RowState, isCheck: boolean): readonly RowMessage<R>[] {
    const { digest, total, token } = state
    const isStart = !this.#isBegun
    const isKnown = isStart && this.known === digest
    const changes = (isKnown ? [] : steps).map(
      ({ type, row, total }, index): RowMessage<R> => ({
        ...{ type: Type[type], row, total },
        resumeToken: !isStart && index === steps.length - 1 ? token : '',
      }),
    )
    const isSent = !isStart && steps.length > 0
    // A token that is old is of no use: the states that it names are forgotten.
    const isWanted = isStart || (isCheck && !isSent && token !== this.#sent)
    if (isSent || isWanted) this.#sent = token
    this.#isBegun = true
    return [
      ...(isStart && !isKnown ? [{ type: Type.RESET, total: 0, resumeToken: '' }] : []),
      ...changes,
      ...(isWanted ? [{ type: Type.BOOKMARK, total, resumeToken: token }] : []),
    ]
  }
}
