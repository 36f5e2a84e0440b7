import { setImmediate as nextTurn } from 'node:timers/promises'
import { create, type Message } from '@bufbuild/protobuf'
import { type Deadline, orAborted } from '../../ports/cancellation.js'
import type { Log } from '../../ports/log.js'
import type { AnsweredFrom } from '../call/answered-from.js'
import type { Call } from '../call/call.js'
import { startDeadline } from '../call/deadline.js'
import { cancelled, type Failure, permissionDenied, unavailable } from '../errors/failure.js'
import { type Action, type Authorizer, denied } from '../identity/authorize.js'
import type { LockedCallers } from '../identity/locked-callers.js'
import type { ConcurrencyLimit } from '../limits/concurrency-limit.js'
import type { Live, LiveCall } from '../live/live-call.js'
import type { LiveCalls } from '../live/live-calls.js'
import type { Operation } from '../operation/operation.js'
import { isNamed, requireFields } from '../operation/required-fields.js'
import { closeWhenDelivered } from './delivery.js'
import {
  type Arrival,
  beginCall,
  type ReadRequest,
  type Recording,
  type RunningCall,
} from './running-call.js'

/** What every call passes between its wire and its handler, the same on both wires. */
export interface Dispatcher {
  unary(operation: Operation, read: ReadRequest, arrival: Arrival): Promise<Message>
  /** Resolves once the stream is granted, so that a refusal is still a plain answer. The caller must iterate or return it. */
  stream(operation: Operation, read: ReadRequest, arrival: Arrival): Promise<AsyncIterableIterator<Message>>
  /** Records a call that its wire refused before the request could be read. */
  refused(operation: Operation, arrival: Arrival, failure: Failure): void
}

/** What the dispatcher depends on. */
export interface DispatcherOptions extends Recording {
  readonly authorizer: Authorizer
  /** Who may do nothing, whatever else says. */
  readonly locked: Pick<LockedCallers, 'refusal'>
  /** Ends calls under way whose caller loses the right to them. */
  readonly live: Pick<LiveCalls, 'add'>
  readonly streams: ConcurrencyLimit
  /** Aborts when the server stops taking calls: it ends every stream. */
  readonly stopping: AbortSignal
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
      const deadline = startDeadline([arrival.signal], timeoutMs)
      const running = beginCall(options, operation, arrival, deadline)
      let live: Live | undefined
      try {
        const request = await orAborted(running.read(read), running.signal)
        live = options.live.add(liveCall(operation, running, deadline))
        const call = await orAborted(admit(options, operation, running, request, live), running.signal)
        const answer = await orAborted(
          (async () => operation.handle(request as never, call))(),
          running.signal,
        )
        // Others are served before the message of large lists is made, which takes long.
        if (running.answers.isCounted) await nextTurn()
        running.end()
        closeWhenDelivered(running.answers, arrival.delivery)
        return create(operation.method.output, answer as Message)
      } catch (error) {
        running.answers.close()
        throw running.end(error)
      } finally {
        live?.leave()
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
      const running = beginCall(options, operation, { ...arrival, answered }, deadline)
      let release: () => void = () => running.answers.close()
      try {
        const request = await orAborted(running.read(read), running.signal)
        const live = options.live.add(liveCall(operation, running, deadline))
        const held = [() => live.leave(), () => running.answers.close()]
        release = () => {
          for (const one of held.splice(0)) one()
        }
        const call = await orAborted(admit(options, operation, running, request, live), running.signal)
        held.push(streams.take(arrival.caller.user))
        const source = (await operation.handle(request as never, call)) as AsyncIterable<Message>
        granted = true
        running.started()
        return relay(operation, source, running, release, options.log)
      } catch (error) {
        release()
        throw running.end(error)
      }
    },

    refused(operation, arrival, failure) {
      beginCall(options, operation, arrival, startDeadline([])).end(failure)
    },
  }
}

/** What a call that was ended has to say is to be taken within this, milliseconds; then its connection, or its stream of one, is cut. */
const LAST_WORDS_MS = 500

/** A call as the registry of those under way sees it. */
function liveCall(operation: Operation, running: RunningCall, deadline: Deadline): LiveCall {
  const { caller, delivery } = running.arrival
  const { permission, method } = operation
  return {
    caller,
    get instance() {
      return running.instance
    },
    get actions() {
      return running.action && !permission?.filtered && !permission?.anyCaller ? [running.action] : []
    },
    isLong: method.methodKind !== 'unary',
    end(failure) {
      deadline.end(failure)
      if (!delivery) return
      const silent = setTimeout(() => delivery.cut(), LAST_WORDS_MS)
      silent.unref()
      delivery.whenOver(() => clearTimeout(silent))
    },
  }
}

const streamIsOld = () =>
  unavailable('the stream has reached its longest life: resume it with its last token')

/** Decides whether the call may go on, and what it may see. A method without a permission is refused to everyone. */
async function admit(
  { authorizer, locked, log }: DispatcherOptions,
  operation: Operation,
  running: RunningCall,
  request: Message,
  live: Live,
): Promise<Call> {
  const { arrival, action, signal, answers, about } = running
  const { caller, requestId, bySession = false } = arrival
  let toTell = arrival.answered
  const answered = (from: AnsweredFrom) => {
    toTell?.(from)
    toTell = undefined
  }
  const refused = locked.refusal(caller, running.instance)
  if (refused) throw refused
  const isOpen = (name: string) => {
    live.note(name)
    return locked.refusal(caller, name) === undefined
  }
  const call = {
    requestId,
    caller,
    bySession,
    signal,
    answers,
    log: log.child({ requestId }),
    answered,
    about,
    isOpen,
  }
  const seesAll = { ...call, maySee: async (name: string) => isOpen(name) }
  if (operation.permission?.anyCaller) return seesAll
  if (!action) throw permissionDenied(`${operation.id} is refused to everyone: its proto has no permission`)
  const checkFields = () => requireFields(operation.method.input, request, operation.namingFields)
  // A missing name would turn "may I touch this one" into "may I touch all": refuse it first. All else comes after the right.
  if (!isNamed(request, operation.permission?.nameField)) checkFields()
  const verdict = await authorizer.decide(caller, action)
  running.decided()
  const isFiltered = operation.permission?.filtered && 'resource' in action
  if (!isFiltered && !verdict.allowed) throw denied(caller, action, verdict)
  checkFields()
  const isStream = operation.method.methodKind !== 'unary'
  if (!isFiltered || (verdict.allowed && !isStream)) return seesAll
  const { resource } = action
  const may = async (what: Action) => (await authorizer.decide(caller, what)).allowed
  return {
    ...call,
    // A stream may outlive the right to all.
    maySee: async name =>
      isOpen(name) && ((verdict.allowed && (await may(action))) || may({ verb: 'get', resource, name })),
  }
}

/** Passes on a stream's messages until it ends, fails or is aborted. Closes its source in every case. */
function relay(
  operation: Operation,
  source: AsyncIterable<Message>,
  running: RunningCall,
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
    return running.end(error)
  }
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      try {
        const step = await orAborted(iterator.next(), running.signal)
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
