import type { Status } from '../../../manifests/status-error.js'
import { valuesOf } from '../../../ports/raw-headers.js'
import { protobufErrorEvent } from './protobuf-error-event.js'

/**
 * Where a stream of bytes may be ended so that its reader has nothing but whole events. Chunks are passed on as they come
 * and never copied; only their borders are followed.
 */
export interface Frames {
  /** Whether everything so far was whole. */
  readonly between: boolean
  /** Follows the next chunk. @returns how many bytes of its beginning end with a whole frame; 0 when no frame ends in it */
  take(chunk: Uint8Array): number
  /** The event by which a watch ends with an error. */
  errorEvent(status: Status): Uint8Array
}

/** JSON events and log lines end with a line break, and contain none. */
class Lines implements Frames {
  between = true

  take(chunk: Uint8Array): number {
    const whole = chunk.lastIndexOf(LINE_BREAK) + 1
    this.between = whole === chunk.length
    return whole
  }

  errorEvent(object: Status): Uint8Array {
    return Buffer.from(`${JSON.stringify({ type: 'ERROR', object })}\n`)
  }
}

const LINE_BREAK = 10

/** Protobuf events are preceded by their length, four bytes, the highest first. */
class LengthDelimited implements Frames {
  between = true
  /** Bytes of the present event that are still to come. */
  #left = 0
  #length = 0
  #lengthBytes = 0

  take(chunk: Uint8Array): number {
    let whole = 0
    for (let at = 0; at < chunk.length; ) {
      if (this.#left > 0) {
        const step = Math.min(this.#left, chunk.length - at)
        this.#left -= step
        at += step
      } else {
        this.#length = this.#length * 256 + (chunk[at++] ?? 0)
        if (++this.#lengthBytes < LENGTH_BYTES) continue
        this.#left = this.#length
        this.#length = this.#lengthBytes = 0
      }
      if (this.#left === 0 && this.#lengthBytes === 0) whole = at
    }
    this.between = this.#left === 0 && this.#lengthBytes === 0
    return whole
  }

  errorEvent(status: Status): Uint8Array {
    return protobufErrorEvent(status)
  }
}

const LENGTH_BYTES = 4

/**
 * How an answer that does not end by itself is divided, by its headers (names and values in turn). Undefined where only
 * who decodes it can know: compressed answers, and CBOR sequences.
 */
export function framesOf(headers: readonly string[]): Frames | undefined {
  const encoding = headerOf(headers, 'content-encoding')
  if (encoding !== '' && encoding !== 'identity') return undefined
  const type = headerOf(headers, 'content-type')
  if (type.startsWith('application/cbor')) return undefined
  return type.startsWith('application/vnd.kubernetes.protobuf') ? new LengthDelimited() : new Lines()
}

const headerOf = (headers: readonly string[], name: string): string =>
  (valuesOf(headers, name)[0] ?? '').toLowerCase()
