import { Code } from '../../transcoding/code.js'
import type { Dispatcher } from '../dispatch/dispatcher.js'
import type { Arrival } from '../dispatch/running-call.js'
import { cancelled, Failure, invalidArgument } from '../errors/failure.js'
import { LARGEST_BODY } from '../limits/request-size.js'
import type { Operation } from '../operation/operation.js'
import type { Arrived, StatusSender } from './authentication.js'
import { serviceError } from './service-error.js'

/** The calls that ended before their handlers ran: grpc-js ends them by itself when it cannot read their messages. */
export class UnhandledCalls {
  readonly #operations: ReadonlyMap<string, Operation>

  constructor(
    operations: readonly Operation[],
    private readonly dispatcher: Dispatcher,
  ) {
    this.#operations = new Map(
      operations.map(operation => [
        `/${operation.method.parent.typeName}/${operation.method.name}`,
        operation,
      ]),
    )
  }

  /**
   * Records a call that ends before `arrived.handled`.
   * @returns to be called when the call is over
   */
  watch(path: string, call: StatusSender, arrived: Arrived): () => void {
    const operation = this.#operations.get(path)
    const { requestId, caller, remote, uri, userAgent } = arrived
    if (!operation || !caller) return () => undefined
    const record = (failure: Failure) => {
      if (arrived.handled) return
      arrived.handled = true
      const arrival: Arrival = { wire: 'grpc', requestId, caller, remote, uri, userAgent }
      this.dispatcher.refused(operation, arrival, failure)
    }
    // grpc-js reports by this method also what it ends itself, and by no other.
    const send = call.sendStatus.bind(call)
    call.sendStatus = status => {
      const own = isOwn(status)
      const failure = own || arrived.handled ? failureOf(status) : ofTheMessage(status)
      record(failure)
      send(own ? status : serviceError(failure, requestId))
    }
    return () => record(cancelled('the caller hung up'))
  }
}

type Sent = Parameters<StatusSender['sendStatus']>[0]

/** Whether a status is an answer, or a refusal with its details; grpc-js itself sends refusals without. */
const isOwn = ({ code, metadata }: Sent): boolean =>
  code === 0 || (metadata?.get('grpc-status-details-bin') ?? []).length > 0

const failureOf = ({ code, details }: Sent): Failure =>
  new Failure((code || Code.INTERNAL) as Failure['code'], details ?? '')

/** What grpc-js finds before a handler runs is about the message; one that is too large REST refuses with the same code and reason. */
const ofTheMessage = (status: Sent): Failure =>
  status.code === Code.RESOURCE_EXHAUSTED
    ? invalidArgument(`the message is larger than ${LARGEST_BODY} bytes`)
    : failureOf(status)
