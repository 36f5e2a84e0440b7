import type { RawSink } from '../../ports/kube-api.js'
import { valuesOf } from '../../ports/raw-headers.js'
import type { Scope } from '../read-your-writes/expected-write.js'
import type { PendingWrite } from '../read-your-writes/ledger.js'
import { outcomeOf, outcomeOfStatus, type WriteRequest } from '../read-your-writes/outcome.js'
import { readProtobufMetadata } from '../read-your-writes/protobuf-metadata.js'
import { wasNeverSent } from './circuit/never-sent.js'
import { isDryRun, type RequestInfo, type ResourceInfo } from './route/request-info.js'

/** Answers larger than this are not read. The version of a named object can still be read. */
const MOST_BYTES = 1 << 20
const writes = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])
/** Subresources that reach beyond the instance's store: what happens behind them is written elsewhere. */
const CONNECTS = /^(proxy|exec|attach|portforward)(\/|$)/

/** What a request writes, as its path says, and to which type; undefined where it stores nothing. */
export function writeOf(
  info: RequestInfo,
  hasBody: boolean,
): { readonly type: ResourceInfo; readonly request: WriteRequest } | undefined {
  const { verb, resource } = info
  if (!isWrite(info) || !resource || isDryRun(info, hasBody)) return undefined
  return { type: resource, request: { verb, ...scopeOf(resource) } }
}

/**
 * Whether a request would be a write, and is only tried. A token is issued all the same: an API server does not look at `dryRun` there
 * (k8s.io/kubernetes, pkg/registry/core/serviceaccount/storage/token.go, to 1.36).
 */
export const isTriedWrite = (info: RequestInfo, hasBody: boolean): boolean =>
  isWrite(info) && !issuesToken(info) && isDryRun(info, hasBody)

const issuesToken = ({ resource }: RequestInfo): boolean =>
  resource?.resource === 'serviceaccounts' && resource.subresource === 'token'

const isWrite = ({ verb, resource }: RequestInfo): boolean =>
  resource !== undefined && writes.has(verb) && !CONNECTS.test(resource.subresource ?? '')

/** The objects that a request is about. */
export const scopeOf = ({ namespace = '', name }: ResourceInfo): Scope => ({
  namespace,
  ...(name !== undefined && { name }),
})

/**
 * Passes the answer of a write on as it comes, and reports its outcome to the ledger before its end is passed on: a caller
 * that has the whole answer and reads at once finds the write remembered, or still under way.
 */
export class WriteObserver implements RawSink {
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
    if (this.#executed) this.pending.ended(outcomeOf(this.request, undefined))
    else this.pending.ended({ kind: wasNeverSent(error) ? 'refused' : 'lost' })
    this.sink.failed(error)
  }

  #answer(): unknown {
    if (!this.#chunks) return undefined
    try {
      return this.#read(Buffer.concat(this.#chunks))
    } catch {
      return undefined // an answer that cannot be parsed counts as unread
    }
  }
}

/** How an answer with these headers is read; undefined where it is not. */
function readerOf(headers: readonly string[]): ((body: Buffer) => unknown) | undefined {
  if (valuesOf(headers, 'content-encoding').some(value => value !== 'identity')) return undefined
  const type = valuesOf(headers, 'content-type').at(-1) ?? ''
  if (type.startsWith('application/json')) return body => JSON.parse(body.toString('utf8'))
  return type.startsWith('application/vnd.kubernetes.protobuf') ? readProtobufMetadata : undefined
}
