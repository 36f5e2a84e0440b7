import { Readable } from 'node:stream'
import { StatusError } from '../../../manifests/status-error.js'
import type { SharedIndex } from '../../../ports/instance-index.js'
import type { KubeRequest, RawRequest, Sender } from '../../../ports/kube-api.js'
import type { InstanceReading } from '../../instances/instance-reading.js'
import type { AnswerReading } from '../../limits/answer-memory.js'
import { callerAt } from '../../proxy/at-member.js'
import { HEAD_TIMEOUT_MS, IDLE_TIMEOUT_MS, upstreamFailure } from '../../proxy/exchange/exchange.js'
import { requestHeaders } from '../../proxy/exchange/headers.js'
import { refusedCredential } from '../../proxy/exchange/own-credential.js'
import { HEAD_TIMEOUT_MS as INDEX_HEAD_TIMEOUT_MS } from '../../proxy/index/index-answer.js'
import type { ProxyRequest, ReadRules } from '../../proxy/proxy-request.js'
import type { RequestParts } from '../../proxy/request-parts.js'
import { readRequestOf } from '../../proxy/route/read-request.js'
import { requestInfo } from '../../proxy/route/request-info.js'
import { sourceOf } from '../../proxy/sources.js'
import { hold, instanceOf } from '../../proxy/target.js'
import type { ObjectCall } from '../objects.js'
import { type Answer, answerOf, bytesOfValues, jsonOf } from './answer.js'
import { refusalOf, streamOf } from './byte-stream.js'

/** What requests to instances need. */
export interface ObjectRequestOptions {
  readonly parts: RequestParts
  /** Who has just made an instance, or made it again, is not sent to what bore its name before. */
  readonly instances: Pick<InstanceReading, 'sameAsWritten'>
  /** Waits so many milliseconds before a watch is restarted; throws the reason of the call's signal. By a timer where absent. */
  readonly pause?: (milliseconds: number, call: Pick<ObjectCall, 'signal'>) => Promise<void>
}

/** One request. `path` is absolute and encoded. */
export interface ObjectRequest extends Pick<KubeRequest, 'method' | 'path' | 'body' | 'contentType'> {
  readonly query?: Readonly<Record<string, string | number | undefined>>
  /** The answer may not even begin for long: a kubelet sends no head before the first line of a log that is followed. */
  readonly maySayNothing?: boolean
}

/** An answer to one object is no larger; an API server stores none of more than 1.5 MiB unless configured to. */
const LARGEST_OBJECT = 16 << 20

const JSON_ONLY = { accept: 'application/json', 'user-agent': 'kairship' } as const

/** The proxy's own way to an instance, for a request that a handler makes. */
export class ObjectRequests {
  constructor(readonly options: ObjectRequestOptions) {}

  /**
   * What the sources need to know of a request, as of one that came to the proxy.
   * @param target encoded, with its query
   * @throws Failure where there is no such instance, or it cannot be reached
   */
  async admitted(
    call: ObjectCall,
    instance: string,
    method: string,
    target: string,
    rules?: ReadRules,
  ): Promise<ProxyRequest> {
    const { parts, instances } = this.options
    await instances.sameAsWritten(instance, call)
    const { uid, karmada } = instanceOf(parts, instance)
    const info = requestInfo(method, target)
    const read = readRequestOf(method, info, JSON_ONLY)
    const caller = await callerAt(parts.fleet, instance, { info, target, caller: call.caller })
    return { instance, uid, caller, info, read, karmada, ...(rules && { rules }) }
  }

  /**
   * Collects an answer, which takes the request's slots while it is under way, and counts what it takes beyond its bytes.
   * @throws Failure RESOURCE_EXHAUSTED at the limits, and for too many values
   */
  async #collect(
    call: ObjectCall,
    instance: string,
    reading: AnswerReading,
    send: () => Promise<Answer>,
  ): Promise<Answer> {
    const release = hold(this.options.parts, instance, call.caller, false)
    let answer: Answer
    try {
      answer = await send()
    } finally {
      release()
    }
    const more = bytesOfValues(answer.body)
    if (more > 0) await reading.add(more)
    return answer
  }

  /**
   * Sends one request to the instance, or for a read to its index where that answers as well.
   * @param options.most bytes of the answer's body
   * @param options.rules of a list, which has its own
   * @param options.reading of a list, whose caller says when it is over; what else is read counts as long as its call lasts, and of a
   * stream until it is here
   */
  async send(
    call: ObjectCall,
    instance: string,
    request: ObjectRequest,
    { most = LARGEST_OBJECT, rules, reading }: SendOptions = {},
  ): Promise<Answer> {
    if (!reading) {
      const own = call.answers.reading(instance)
      try {
        return await this.send(call, instance, request, { most, reading: own, ...(rules && { rules }) })
      } finally {
        if (call.answers.lasts) own.giveBack()
      }
    }
    const { method } = request
    const path = targetOf(request)
    const admitted = await this.admitted(call, instance, method, path, rules)
    const { parts } = this.options
    const upstream = sourceOf(parts, admitted, ({ source, reason }) =>
      parts.meter.count('kairship_object_answers_total', { source, reason }),
    )
    const answer = await this.#collect(call, instance, reading, () =>
      answerOf(upstream, rawRequest(request, path, admitted, call), {
        signal: call.signal,
        most,
        reading,
      }).catch(error => {
        throw upstreamFailure(error)
      }),
    )
    const refused = refusedCredential(answer.status, answer.headers, admitted.info)
    if (refused) throw refused
    return answer
  }

  /** The index of an instance, with all that it has of others. */
  sharedIndex(instance: string): SharedIndex | undefined {
    return this.options.parts.fleet.index(instance)?.shared
  }

  /**
   * Reads from an index what its sender knows that the caller may read, of several instances.
   * @param instance one of them, within whose limits it is
   */
  async readIndex(
    call: ObjectCall,
    instance: string,
    { index, path }: { readonly index: Sender; readonly path: string },
    { most, reading }: { readonly most: number; readonly reading: AnswerReading },
  ): Promise<Answer> {
    const from = { source: 'index', reason: 'Across' }
    this.options.parts.meter.count('kairship_object_answers_total', from)
    this.options.parts.activity.count(instance, from, false)
    const { accept, 'user-agent': agent } = JSON_ONLY
    const request: RawRequest = {
      ...{ method: 'GET', path, headers: ['Accept', accept, 'User-Agent', agent], long: false },
      ...{ headTimeoutMs: INDEX_HEAD_TIMEOUT_MS, idleTimeoutMs: IDLE_TIMEOUT_MS },
    }
    return this.#collect(call, instance, reading, () =>
      answerOf(index, request, { signal: call.signal, most, reading }),
    )
  }

  /** The JSON of a good answer. @throws StatusError for a refusal */
  async json(
    call: ObjectCall,
    instance: string,
    request: ObjectRequest,
    rules?: ReadRules,
  ): Promise<unknown> {
    return jsonOf(await this.send(call, instance, request, rules ? { rules } : {}))
  }

  /**
   * Sends a request whose answer does not end, such as a watch, and yields its bytes as they come. It holds a slot of a
   * stream until it is over.
   * @param opened called when the instance has accepted it
   * @throws StatusError for a refusal
   */
  async *stream(
    call: ObjectCall,
    instance: string,
    request: ObjectRequest,
    opened: () => void,
  ): AsyncGenerator<Buffer, void> {
    const { parts } = this.options
    const path = targetOf(request)
    const admitted = await this.admitted(call, instance, request.method, path)
    const upstream = sourceOf(parts, admitted, () => undefined)
    const release = hold(parts, instance, call.caller, true)
    let leave: () => void = () => undefined
    try {
      const { idleTimeoutMs: _, ...raw } = rawRequest(request, path, admitted, call)
      const streamed = await streamOf(upstream, { ...raw, long: true }, call.signal)
      leave = streamed.leave
      const { status, headers, chunks } = streamed
      const refused = refusedCredential(status, headers, admitted.info)
      if (refused) throw refused
      if (status !== 200) refuse(status, await refusalOf(streamed))
      opened()
      yield* chunks
    } catch (error) {
      throw error instanceof StatusError || !(error instanceof Error) ? error : upstreamFailure(error)
    } finally {
      leave()
      release()
    }
  }
}

/** How the answer to one request is collected. */
interface SendOptions {
  readonly most?: number
  readonly rules?: ReadRules
  readonly reading?: AnswerReading
}

/** @throws StatusError that the answer is */
function refuse(status: number, body: Buffer): void {
  bytesOfValues(body)
  jsonOf({ status, body })
}

/** The path of a request with its query. */
export function targetOf({ path, query = {} }: Pick<ObjectRequest, 'path' | 'query'>): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}

function rawRequest(
  { method, body, contentType = 'application/json', maySayNothing = false }: ObjectRequest,
  path: string,
  { caller }: Pick<ProxyRequest, 'caller'>,
  { requestId }: Pick<ObjectCall, 'requestId'>,
): RawRequest {
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body), 'utf8')
  const own = ['Accept', JSON_ONLY.accept, 'User-Agent', JSON_ONLY['user-agent']]
  if (bytes) own.push('Content-Type', contentType, 'Content-Length', String(bytes.length))
  return {
    method,
    path,
    headers: requestHeaders(own, caller, requestId),
    ...(bytes && { body: Readable.from([bytes], { objectMode: false }) }),
    long: false,
    headTimeoutMs: maySayNothing ? 0 : HEAD_TIMEOUT_MS,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
  }
}
