import type { Message } from '@bufbuild/protobuf'
import type { Deadline } from '../../ports/cancellation.js'
import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'
import { Code, codeName } from '../../transcoding/code.js'
import type { Audit } from '../audit/audit.js'
import type { AuditRecord } from '../audit/record.js'
import type { AnsweredFrom } from '../call/answered-from.js'
import type { AuditDetails } from '../call/audit-details.js'
import type { AboutObject, Wire } from '../call/call.js'
import { cancelled, type Failure } from '../errors/failure.js'
import { toFailure } from '../errors/to-failure.js'
import { accountNamespace } from '../identity/account-namespace.js'
import type { Action } from '../identity/authorize.js'
import type { Caller } from '../identity/caller.js'
import type { AnswerAccount, AnswerMemory } from '../limits/answer-memory.js'
import type { Operation } from '../operation/operation.js'
import { targetOf } from '../operation/permission.js'
import { fieldValue } from '../operation/required-fields.js'
import type { Delivery } from './delivery.js'

/** A call as it arrives from a wire: authenticated, and nothing more. */
export interface Arrival {
  readonly wire: Wire
  readonly requestId: string
  readonly caller: Caller
  /** A browser's session stands for the caller's credential, which no script of the page can read. */
  readonly bySession?: boolean
  readonly remote?: string | undefined
  /** The path of the request without its query; over gRPC that of the method. */
  readonly uri: string
  readonly userAgent?: string | undefined
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

/** Where calls are recorded, and what they may read of instances. */
export interface Recording {
  readonly log: Log
  readonly audit: Audit
  readonly meter: Meter
  readonly answers: AnswerMemory
  readonly now: () => number
}

/** One call under way: what it holds, and the record of its end, which is made exactly once. */
export interface RunningCall {
  readonly arrival: Arrival
  /** What is to be authorized; it has a name once the request is read. */
  readonly action: Action | undefined
  /** The instance that it is about, once the request is read; absent for none and for many. */
  readonly instance: string | undefined
  readonly signal: AbortSignal
  readonly answers: AnswerAccount
  /** Reads the request, and from it what the call is about. */
  read(read: ReadRequest): Promise<Message>
  /** The authorizer has decided whether the caller may. */
  decided(): void
  /** Records that the answer has begun, of a stream that leaves a record. */
  started(): void
  /** Completes what the audit record says of the object by what only the handler has found out. */
  about(part: AboutObject): void
  /** Records how the call ended and gives back what it held. Returns the Failure to answer with. */
  end(error?: unknown): Failure
}

/** Begins the record of a call. `end` must be called in every case. */
export function beginCall(
  { log, audit, meter, now, answers }: Recording,
  operation: Operation,
  arrival: Arrival,
  deadline: Deadline,
): RunningCall {
  const start = now()
  let action = actionOf(operation)
  let audited = action
  let target = operation.object && targetOf(operation.object, undefined)
  let isDecided = false
  let isDryRun = false
  let details: AuditDetails | undefined
  let outcome: Failure | undefined
  const recordOf = (code: Code, durationMs: number): Omit<AuditRecord, 'endedAt'> => {
    const { wire, requestId, caller, remote, uri, userAgent } = arrival
    return {
      ...{ requestId, wire, operation: operation.id, uri, caller, code, durationMs },
      ...(userAgent ? { userAgent } : {}),
      ...(audited ? { action: audited } : {}),
      ...(isDecided && { isDecided }),
      ...(isDryRun && { dryRun: isDryRun }),
      ...(target ? { target } : {}),
      ...(details && { details }),
      ...(remote ? { remote } : {}),
    }
  }
  return {
    arrival,
    get action() {
      return action
    },
    get instance() {
      if (target?.instance) return target.instance
      if (!action || 'path' in action) return undefined
      return action.resource.split('/')[0] === 'instances' ? action.name : undefined
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
      isDryRun = 'dryRun' in request && request.dryRun === true
      return request
    },
    decided() {
      isDecided = true
    },
    started: () => audit.recordStarted(recordOf(Code.OK, now() - start)),
    about({ namespace, name, details: found }) {
      target = target && { ...(namespace && { namespace }), ...(name && { name }), ...target }
      // The host makes the names of some of its objects.
      if (!target && name && audited) audited = { name, ...audited }
      details = found ?? details
    },
    end(error) {
      if (outcome) return outcome
      const failure = error === undefined ? undefined : toFailure(error)
      outcome = failure ?? cancelled('the call is over')
      deadline.clear()
      const { wire, requestId } = arrival
      const code = failure?.code ?? Code.OK
      const durationMs = now() - start
      const labels = { wire, operation: operation.id, code: codeName(code) }
      meter.count('kairship_api_requests_total', labels)
      meter.observe('kairship_api_request_duration_seconds', durationMs / 1000, {
        wire,
        operation: operation.id,
      })
      audit.record(recordOf(code, durationMs))
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
