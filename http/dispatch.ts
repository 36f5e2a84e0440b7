import { create, type Message } from '@bufbuild/protobuf'
import type { Log } from '../ports/log.js'
import type { Meter } from '../ports/meter.js'
import { audit } from './audit.js'
import type { Call, Wire } from './call.js'
import { Code, codeName } from './code.js'
import { type Deadline, orAborted, startDeadline } from './deadline.js'
import { toFailure } from './errors.js'
import { cancelled, type Failure, permissionDenied, unavailable } from './failure.js'
import { type Action, type Authorizer, denial } from './identity/authorize.js'
import type { Caller } from './identity/caller.js'
import type { Held } from './limits.js'
import type { Operation } from './operation.js'
import { fieldValue, requireFields } from './request.js'

/** A call as it arrives from a wire: decoded and authenticated, and nothing more. */
export interface Arrival {
  readonly wire: Wire
  readonly requestId: string
  readonly caller: Caller
  readonly remote?: string | undefined
  /** Aborts when the caller hangs up. */
  readonly signal?: AbortSignal | undefined
  /** What the caller is willing to wait. */
  readonly timeoutMs?: number | undefined
}

/** What every call passes between its wire and its handler, the same on both wires. */
export interface Dispatcher {
  unary(operation: Operation, request: Message, arrival: Arrival): Promise<Message>
  /** Resolves once the stream is granted, so that a refusal is still a plain answer. The caller must iterate or return it. */
  stream(operation: Operation, request: Message, arrival: Arrival): Promise<AsyncIterableIterator<Message>>
}

/** What the dispatcher needs of others. */
export interface DispatcherOptions {
  readonly authorizer: Authorizer
  readonly log: Log
  readonly meter: Meter
  readonly streams: Held
  /** Aborts when the server stops taking calls: it ends every stream. */
  readonly stopping: AbortSignal
  readonly now: () => number
  readonly random?: () => number
}

/** What a unary call may take at most; a caller may ask for less. Longer than any upstream request is given. */
const LONGEST_CALL_MS = 60_000
/** A stream ends after one to two times this and is to be resumed, so that revoked rights and old replicas do not live on. */
const STREAM_LIFE_MS = 30 * 60_000

/** deadline → authorize → required fields → handler → audit and metrics, with one error door. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { streams, stopping, random = Math.random } = options
  return {
    async unary(operation, request, arrival) {
      const timeoutMs = Math.min(arrival.timeoutMs ?? LONGEST_CALL_MS, LONGEST_CALL_MS)
      const course = begin(options, operation, request, arrival, startDeadline([arrival.signal], timeoutMs))
      try {
        const call = await orAborted(admit(options, operation, course, request), course.signal)
        const answer = await orAborted(
          (async () => operation.handle(request as never, call))(),
          course.signal,
        )
        course.end()
        return create(operation.method.output, answer as Message)
      } catch (error) {
        throw course.end(error)
      }
    },

    async stream(operation, request, arrival) {
      const lifeMs = Math.min(arrival.timeoutMs ?? Number.POSITIVE_INFINITY, STREAM_LIFE_MS * (1 + random()))
      const deadline = startDeadline(
        [arrival.signal, stopping],
        lifeMs,
        arrival.timeoutMs === lifeMs ? undefined : streamIsOld(),
      )
      const course = begin(options, operation, request, arrival, deadline)
      let release: () => void = () => undefined
      try {
        const call = await orAborted(admit(options, operation, course, request), course.signal)
        release = streams.take(arrival.caller.user)
        const source = (await operation.handle(request as never, call)) as AsyncIterable<Message>
        return relay(operation, source, course, release, options.log)
      } catch (error) {
        release()
        throw course.end(error)
      }
    },
  }
}

const streamIsOld = () => unavailable('the stream has lived its time: resume it with its last token')

/** One call on its way: what it holds, and the record of its end, which is made exactly once. */
interface Course {
  readonly arrival: Arrival
  readonly action: Action | undefined
  readonly signal: AbortSignal
  /** Records how the call ended and gives back what it held. Returns the Failure to answer with. */
  end(error?: unknown): Failure
}

function begin(
  { log, meter, now }: DispatcherOptions,
  operation: Operation,
  request: Message,
  arrival: Arrival,
  deadline: Deadline,
): Course {
  const start = now()
  const action = actionOf(operation, request)
  let outcome: Failure | undefined
  const course: Course = {
    arrival,
    action,
    signal: deadline.signal,
    end(error) {
      if (outcome) return outcome
      const failure = error === undefined ? undefined : toFailure(error)
      outcome = failure ?? cancelled('the call is over')
      deadline.release()
      const { wire, requestId, caller, remote } = arrival
      const code = failure?.code ?? Code.OK
      const durationMs = now() - start
      const labels = { wire, operation: operation.id, code: codeName(code) }
      meter.count('kairship_api_requests_total', labels)
      meter.observe('kairship_api_request_duration_seconds', durationMs / 1000, {
        wire,
        operation: operation.id,
      })
      audit(log, {
        requestId,
        wire,
        operation: operation.id,
        caller,
        ...(action ? { action } : {}),
        ...(remote ? { remote } : {}),
        code,
        durationMs,
      })
      if (code === Code.INTERNAL) {
        log.error({ requestId, operation: operation.id, err: failure?.cause ?? failure }, 'call failed')
      }
      return outcome
    },
  }
  return course
}

function actionOf({ permission }: Operation, request: Message): Action | undefined {
  if (!permission?.verb) return undefined
  const name = permission.nameField ? fieldValue(request, permission.nameField) : ''
  return { verb: permission.verb, resource: permission.resource, ...(name ? { name } : {}) }
}

/** Decides whether the call may go on, and what it may see. Nothing said means no. */
async function admit(
  { authorizer, log }: DispatcherOptions,
  operation: Operation,
  { arrival, action, signal }: Course,
  request: Message,
): Promise<Call> {
  const { caller, requestId } = arrival
  const call = { requestId, caller, signal, log: log.child({ requestId }) }
  const seesAll = { ...call, maySee: async () => true }
  if (operation.permission?.anyCaller) return seesAll
  if (!action) throw permissionDenied(`${operation.id} is open to nobody: its proto names no permission`)
  // A missing name would turn "may I touch this one" into "may I touch all": refuse it first.
  requireFields(operation.method.input, request)
  const verdict = await authorizer.decide(caller, action)
  if (verdict.allowed) return seesAll
  if (!operation.permission?.filtered || !('resource' in action)) {
    throw permissionDenied(denial(caller, action, verdict), { reason: 'Forbidden' })
  }
  const { resource } = action
  return {
    ...call,
    maySee: async name => (await authorizer.decide(caller, { verb: 'get', resource, name })).allowed,
  }
}

/** Hands on a stream's messages until it ends, fails or is aborted, and closes its source in every case. */
function relay(
  operation: Operation,
  source: AsyncIterable<Message>,
  course: Course,
  release: () => void,
  log: Log,
): AsyncIterableIterator<Message> {
  const iterator = source[Symbol.asyncIterator]()
  const finish = (error?: unknown) => {
    release()
    // Not awaited: a generator only returns once its pending step has, which the abort brings about.
    iterator
      .return?.()
      .catch(failed => log.warn({ err: failed, operation: operation.id }, 'a stream’s source did not close'))
    return course.end(error)
  }
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      try {
        const step = await orAborted(iterator.next(), course.signal)
        if (!step.done) return { done: false, value: create(operation.method.output, step.value) }
        finish()
        return { done: true, value: undefined }
      } catch (error) {
        throw finish(error)
      }
    },
    async return() {
      finish(cancelled('the caller hung up'))
      return { done: true, value: undefined }
    },
  }
}
