import type { RawSink } from '../../ports/kube-api.js'
import type { PendingWrite } from '../read-your-writes/ledger.js'
import { outcomeOf, outcomeOfStatus, type WriteRequest } from '../read-your-writes/outcome.js'

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

  constructor(
    readonly request: WriteRequest,
    readonly pending: PendingWrite,
    readonly sink: RawSink,
  ) {}

  head(status: number, message: string, headers: readonly string[]): void {
    const outcome = outcomeOfStatus(status)
    if (outcome) this.pending.ended(outcome)
    else this.#executed = true
    if (outcome || !isPlainJson(headers)) this.#chunks = undefined
    this.sink.head(status, message, headers)
  }

  data(chunk: Uint8Array): boolean {
    this.#size += chunk.length
    if (this.#size > MOST_BYTES) this.#chunks = undefined
    this.#chunks?.push(chunk)
    return this.sink.data(chunk)
  }

  end(): void {
    this.pending.ended(outcomeOf(this.request, this.#read()))
    this.sink.end()
  }

  failed(error: Error): void {
    const neverSent = 'code' in error && NEVER_SENT.has(String(error.code))
    if (this.#executed) this.pending.ended(outcomeOf(this.request, undefined))
    else this.pending.ended({ kind: neverSent ? 'refused' : 'lost' })
    this.sink.failed(error)
  }

  #read(): unknown {
    if (!this.#chunks) return undefined
    try {
      return JSON.parse(Buffer.concat(this.#chunks).toString('utf8'))
    } catch {
      return undefined // what cannot be read counts as not read
    }
  }
}

function isPlainJson(headers: readonly string[]): boolean {
  let isJson = false
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index]?.toLowerCase()
    if (name === 'content-encoding' && headers[index + 1] !== 'identity') return false
    if (name === 'content-type') isJson = headers[index + 1]?.startsWith('application/json') ?? false
  }
  return isJson
}
