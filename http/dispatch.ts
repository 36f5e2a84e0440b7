import { setImmediate as nextTurn } from 'node:timers/promises'
import { create, type Message } from '@bufbuild/protobuf'
import { type Deadline, orAborted } from '../ports/cancellation.js'
import type { Log } from '../ports/log.js'
import type { Meter } from '../ports/meter.js'
import { Code, codeName } from '../transcoding/code.js'
import type { AnsweredFrom } from './answered-from.js'
import { audit } from './audit.js'
import type { AboutObject, Call, Wire } from './call.js'
import { startDeadline } from './deadline.js'
import { closeWhenDelivered, type Delivery } from './delivery.js'
import { toFailure } from './errors.js'
import { cancelled, type Failure, permissionDenied, unavailable } from './failure.js'
import { accountNamespace } from './identity/account-namespace.js'
import { type Action, type Authorizer, denial } from './identity/authorize.js'
import type { Caller } from './identity/caller.js'
import type { Held } from './limits.js'
import type { AnswerAccount, AnswerMemory } from './objects/answer-memory.js'
import type { Operation } from './operation.js'
import { targetOf } from './permission.js'
import { fieldValue, requireFields } from './request.js'

/** A call as it arrives from a wire: authenticated, and nothing more. */
export interface Arrival {
  readonly wire: Wire
  readonly requestId: string
  readonly caller: Caller
  readonly remote?: string | undefined
  /** Aborts when the caller hangs up. */
  readonly signal?: AbortSignal | undefined
  /** What the caller is willing to wait. */
  readonly timeoutMs?: number | undefined
  /** Called once, before the answer, with its source; not called where there is only one. */
  readonly answered?: ((from: AnsweredFrom) => void) | undefined
  /** The way of a unary call's answer to its caller; absent where that is not known. */
  readonly delivery?: Delivery | undefined
}

/** Reads the request's message from its wire, in that wire's way. @throws Failure INVALID_ARGUMENT */
export type ReadRequest = () => Message | Promise<Message>

/** What every call passes between its wire and its handler, the same on both wires. */
export interface Dispatcher {
  unary(operation: Operation, read: ReadRequest, arrival: Arrival): Promise<Message>
  /** Resolves once the stream is granted, so that a refusal is still a plain answer. The caller must iterate or return it. */
  stream(operation: Operation, read: ReadRequest, arrival: Arrival): Promise<AsyncIterableIterator<Message>>
  /** Records a call that its wire refused before the request could be read. */
  refused(operation: Operation, arrival: Arrival, failure: Failure): void
}

/** What the dispatcher depends on. */
export interface DispatcherOptions {
  readonly authorizer: Authorizer
  readonly log: Log
  readonly meter: Meter
  readonly streams: Held
  /** What calls may read of instances. */
  readonly answers: AnswerMemory
  /** Aborts when the server stops taking calls: it ends every stream. */
  readonly stopping: AbortSignal
  readonly now: () => number
  readonly random?: () => number
}

/** A unary call takes no longer than this; a caller may ask for less. Every upstream request has less. */
const LONGEST_CALL_MS = 60_000
/** A stream ends after one to two times this, for the caller to resume: revoked rights and old replicas must not live on. */
const STREAM_LIFE_MS = 30 * 60_000

/** deadline → read → authorize → required fields → handler → audit and metrics, with one place for errors. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { streams, stopping, random = Math.random } = options
  return {
    async unary(operation, read, arrival) {
      const timeoutMs = Math.min(arrival.timeoutMs ?? LONGEST_CALL_MS, LONGEST_CALL_MS)
      const course = begin(options, operation, arrival, startDeadline([arrival.signal], timeoutMs))
      try {
        const request = await orAborted(course.read(read), course.signal)
        const call = await orAborted(admit(options, operation, course, request), course.signal)
        const answer = await orAborted(
          (async () => operation.handle(request as never, call))(),
          course.signal,
        )
        // Others are served before the message of large lists is made, which takes long.
        if (course.answers.isCounted) await nextTurn()
        course.end()
        closeWhenDelivered(course.answers, arrival.delivery)
        return create(operation.method.output, answer as Message)
      } catch (error) {
        course.answers.close()
        throw course.end(error)
      }
    },

    async stream(operation, read, arrival) {
      const lifeMs = Math.min(arrival.timeoutMs ?? Number.POSITIVE_INFINITY, STREAM_LIFE_MS * (1 + random()))
      const deadline = startDeadline(
        [arrival.signal, stopping],
        lifeMs,
        arrival.timeoutMs === lifeMs ? undefined : streamIsOld(),
      )
      let granted = false
      // The response head is sent once the call is authorized: later errors can no longer change its status.
      const answered = (from: AnsweredFrom) => (granted ? undefined : arrival.answered?.(from))
      const course = begin(options, operation, { ...arrival, answered }, deadline)
      let release: () => void = () => course.answers.close()
      try {
        const request = await orAborted(course.read(read), course.signal)
        const call = await orAborted(admit(options, operation, course, request), course.signal)
        const leave = streams.take(arrival.caller.user)
        release = () => {
          leave()
          course.answers.close()
        }
        const source = (await operation.handle(request as never, call)) as AsyncIterable<Message>
        granted = true
        return relay(operation, source, course, release, options.log)
      } catch (error) {
        release()
        throw course.end(error)
      }
    },

    refused(operation, arrival, failure) {
      begin(options, operation, arrival, startDeadline([])).end(failure)
    },
  }
}

const streamIsOld = () =>
  unavailable('the stream has reached its longest life: resume it with its last token')

/** One call under way: what it holds, and the record of its end, which is made exactly once. */
interface Course {
  readonly arrival: Arrival
  /** What is to be authorized; it has a name once the request is read. */
  readonly action: Action | undefined
  readonly signal: AbortSignal
  readonly answers: AnswerAccount
  /** Reads the request, and from it what the call is about. */
  read(read: ReadRequest): Promise<Message>
  /** Completes what the audit record says of the object by what only the handler has found out. */
  about(part: AboutObject): void
  /** Records how the call ended and gives back what it held. Returns the Failure to answer with. */
  end(error?: unknown): Failure
}

function begin(
  { log, meter, now, answers }: DispatcherOptions,
  operation: Operation,
  arrival: Arrival,
  deadline: Deadline,
): Course {
  const start = now()
  let action = actionOf(operation)
  let audited = action
  let target = operation.object && targetOf(operation.object, undefined)
  let outcome: Failure | undefined
  return {
    arrival,
    get action() {
      return action
    },
    signal: deadline.signal,
    answers: answers.account(
      accountNamespace(arrival.caller.user) ?? arrival.caller.user,
      operation.method.methodKind !== 'unary',
    ),
    async read(read) {
      const request = await read()
      action = actionOf(operation, request)
      audited = named(action, request, operation.permission?.createdNameField)
      target = operation.object && targetOf(operation.object, request)
      return request
    },
    about({ namespace, name }) {
      target = target && { ...(namespace && { namespace }), ...(name && { name }), ...target }
    },
    end(error) {
      if (outcome) return outcome
      const failure = error === undefined ? undefined : toFailure(error)
      outcome = failure ?? cancelled('the call is over')
      deadline.clear()
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
        ...(audited ? { action: audited } : {}),
        ...(target ? { target } : {}),
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
}

function actionOf({ permission }: Operation, request?: Message): Action | undefined {
  if (!permission?.verb) return undefined
  return named({ verb: permission.verb, resource: permission.resource }, request, permission.nameField)
}

/** The action with the name that the request holds at this path, if there is one. */
function named(
  action: Action | undefined,
  request: Message | undefined,
  path: string | undefined,
): Action | undefined {
  const name = request && path ? fieldValue(request, path) : ''
  return action && name ? { ...action, name } : action
}

/** Decides whether the call may go on, and what it may see. A method without a permission is refused to everyone. */
async function admit(
  { authorizer, log }: DispatcherOptions,
  operation: Operation,
  { arrival, action, signal, answers, about }: Course,
  request: Message,
): Promise<Call> {
  const { caller, requestId } = arrival
  let toTell = arrival.answered
  const answered = (from: AnsweredFrom) => {
    toTell?.(from)
    toTell = undefined
  }
  const call = { requestId, caller, signal, answers, log: log.child({ requestId }), answered, about }
  const seesAll = { ...call, maySee: async () => true }
  if (operation.permission?.anyCaller) return seesAll
  if (!action) throw permissionDenied(`${operation.id} is refused to everyone: its proto has no permission`)
  // A missing name would turn "may I touch this one" into "may I touch all": refuse it first.
  requireFields(operation.method.input, request, operation.namingFields)
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

/** Passes on a stream's messages until it ends, fails or is aborted. Closes its source in every case. */
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
    // Not awaited: a generator returns only after its pending step, which the abort ends.
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
