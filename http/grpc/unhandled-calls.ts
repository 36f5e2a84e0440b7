import { Code } from '../../transcoding/code.js'
import type { Dispatcher } from '../dispatch/dispatcher.js'
import { cancelled, Failure } from '../errors/failure.js'
import type { Operation } from '../operation/operation.js'
import type { Arrived, StatusSender } from './authentication.js'

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
    const { requestId, caller, remote } = arrived
    if (!operation || !caller) return () => undefined
    const record = (failure: Failure) => {
      if (arrived.handled) return
      arrived.handled = true
      this.dispatcher.refused(operation, { wire: 'grpc', requestId, caller, remote }, failure)
    }
    // grpc-js reports by this method also what it ends itself, and by no other.
    const send = call.sendStatus.bind(call)
    call.sendStatus = status => {
      record(failureOf(status))
      send(status)
    }
    return () => record(cancelled('the caller hung up'))
  }
}

const failureOf = ({ code, details }: Parameters<StatusSender['sendStatus']>[0]): Failure =>
  new Failure((code || Code.INTERNAL) as Failure['code'], details ?? '')
