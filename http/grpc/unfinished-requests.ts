import { constants, type ServerHttp2Stream } from 'node:http2'
import { deadlineExceeded, type Failure, internal } from '../errors/failure.js'
import { ConcurrencyLimit } from '../limits/concurrency-limit.js'

/** A request that is not complete after this needs one of its caller's slots, milliseconds: most are within one packet. */
const SLOW_MS = 2_000
/** Slow requests of one caller at once; each may be held with up to 3 MiB until it is complete. */
const SLOW_AT_ONCE = 16

/**
 * Bounds what requests cost that begin and do not end. A caller may begin a thousand on each of its connections, and grpc-js
 * keeps what has arrived of each.
 */
export class UnfinishedRequests {
  readonly #slow = new ConcurrencyLimit('requests that are not complete', SLOW_AT_ONCE)

  /** @param longestMs how long a request may take to arrive whole */
  constructor(readonly longestMs: number) {}

  /**
   * Calls `expired` once, when a request takes too long, or its caller has too many that are slow.
   * @returns stops watching (idempotent)
   */
  watch(holder: string, expired: (failure: Failure) => void): () => void {
    const { longestMs } = this
    let giveBack: () => void = () => undefined
    const end = (failure: unknown) => {
      giveBack()
      expired(failure as Failure)
    }
    const tooSlow = () => end(deadlineExceeded(`the request was not complete within ${longestMs} ms`))
    const slow = () => {
      try {
        giveBack = this.#slow.take(holder)
        timer = setTimeout(tooSlow, longestMs - SLOW_MS)
      } catch (failure) {
        end(failure)
      }
    }
    let timer = longestMs > SLOW_MS ? setTimeout(slow, SLOW_MS) : setTimeout(tooSlow, longestMs)
    return () => {
      clearTimeout(timer)
      giveBack()
    }
  }
}

/** What grpc-js keeps of a call whose message is arriving. Its API has one limit for all methods, and none of this. */
interface Receiving {
  maxReceiveMessageSize: number
  readonly decoder: { maxReadMessageLength: number; readPartialMessage: readonly Uint8Array[] }
}

/** Lets a call receive messages of so many bytes only, also when decompressed. @throws Failure INTERNAL where grpc-js is another */
export function boundMessages(call: object, bytes: number): void {
  const receiving = receivingOf(call)
  receiving.maxReceiveMessageSize = bytes
  receiving.decoder.maxReadMessageLength = bytes
}

/** Frees what has arrived of a message that will not be read: grpc-js would keep it until the caller ends the stream. */
export function dropMessage(call: object): void {
  receivingOf(call).decoder.readPartialMessage = []
}

/** Ends the stream of a call: of an answer that is being sent, its API has no end. */
export function cutStream(call: object): void {
  const { stream } = call as { readonly stream?: Pick<ServerHttp2Stream, 'close'> }
  if (!stream) throw internal('this version of grpc-js keeps streams in another way')
  stream.close(constants.NGHTTP2_CANCEL)
}

function receivingOf(call: object): Receiving {
  const { maxReceiveMessageSize, decoder } = call as Partial<Receiving>
  const isKnown =
    typeof maxReceiveMessageSize === 'number' &&
    typeof decoder?.maxReadMessageLength === 'number' &&
    Array.isArray(decoder.readPartialMessage)
  // Deny by default: without a bound no caller is admitted.
  if (!isKnown) throw internal('this version of grpc-js keeps messages in another way')
  return call as Receiving
}
