import type { RawSink } from '../../ports/kube-api.js'
import type { PendingWrite } from '../read-your-writes/ledger.js'
import { outcomeOf, outcomeOfStatus, type WriteRequest } from '../read-your-writes/outcome.js'
import { readProtobufMetadata } from '../read-your-writes/protobuf-metadata.js'

/** Answers larger than this are not read. Of a named object its version can still be asked for. */
const MOST_BYTES = 1 << 20
/** No connection came about, so nothing was sent. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

/**
 * Passes the answer of a write on as it comes, and tells the ledger what it says before its end is passed on: who has the
 * whole answer and reads at once finds the write remembered, or still under way.
 */
export class Tapped implements RawSink {
  #chunks: Uint8Array[] | undefined = []
  #size = 0
  #executed = false
  #read: (body: Buffer) => unknown = () => undefined

  constructor(
    readonly request: WriteRequest,
    readonly pending: PendingWrite,
    readonly sink: RawSink,
  ) {}

  head(status: number, message: string, headers: readonly string[]): void {
    const outcome = outcomeOfStatus(status)
    if (outcome) this.pending.ended(outcome)
    else this.#executed = true
    const read = readerOf(headers)
    if (outcome || !read) this.#chunks = undefined
    else this.#read = read
    this.sink.head(status, message, headers)
  }

  data(chunk: Uint8Array): boolean {
    this.#size += chunk.length
    if (this.#size > MOST_BYTES) this.#chunks = undefined
    this.#chunks?.push(chunk)
    return this.sink.data(chunk)
  }

  end(): void {
    this.pending.ended(outcomeOf(this.request, this.#answer()))
    this.sink.end()
  }

  failed(error: Error): void {
    const neverSent = 'code' in error && NEVER_SENT.has(String(error.code))
    if (this.#executed) this.pending.ended(outcomeOf(this.request, undefined))
    else this.pending.ended({ kind: neverSent ? 'refused' : 'lost' })
    this.sink.failed(error)
  }

  #answer(): unknown {
    if (!this.#chunks) return undefined
    try {
      return this.#read(Buffer.concat(this.#chunks))
    } catch {
      return undefined // what cannot be read counts as not read
    }
  }
}

/** How an answer with these headers is read; undefined where it is not. */
function readerOf(headers: readonly string[]): ((body: Buffer) => unknown) | undefined {
  let type = ''
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index]?.toLowerCase()
    const value = headers[index + 1] ?? ''
    if (name === 'content-encoding' && value !== 'identity') return undefined
    if (name === 'content-type') type = value
  }
  if (type.startsWith('application/json')) return body => JSON.parse(body.toString('utf8'))
  return type.startsWith('application/vnd.kubernetes.protobuf') ? readProtobufMetadata : undefined
}
