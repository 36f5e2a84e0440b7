import type { Server, ServerDuplexStream } from '@grpc/grpc-js'
import type { Meter } from '../../ports/meter.js'
import { Code, codeName } from '../../transcoding/code.js'
import type { Audit } from '../audit/audit.js'
import { Failure, internal } from '../errors/failure.js'
import { arrivedWith } from './authentication.js'
import { serviceError } from './service-error.js'

/**
 * Answers calls of methods that no service has, once their callers are authenticated, and records them. grpc-js would answer
 * anyone, before any interceptor, and has no API to change that.
 * @throws Failure INTERNAL where grpc-js keeps its methods in another way
 */
export function answerUnknownMethods(server: Server, audit: Audit, meter: Meter): void {
  const methods: unknown = Reflect.get(server, 'handlers')
  if (!(methods instanceof Map)) throw internal('this version of grpc-js keeps its methods in another way')
  const find = methods.get.bind(methods)
  methods.get = (path: string) => find(path) ?? unknownMethod(path, audit, meter)
}

/** As grpc-js registers a method. Of both streams: then it is called before a message is read. */
const unknownMethod = (path: string, audit: Audit, meter: Meter) => ({
  path,
  type: 'bidi',
  serialize: () => Buffer.alloc(0),
  deserialize: () => undefined,
  func: (call: ServerDuplexStream<unknown, unknown>) => {
    const { requestId, caller, remote, uri, userAgent } = arrivedWith(call.metadata)
    const failure = new Failure(Code.UNIMPLEMENTED, `there is no method ${path.slice(0, LONGEST_PATH)}`)
    if (caller) {
      const labels = { wire: 'grpc', operation: 'unknown', code: codeName(failure.code) }
      meter.count('kairship_api_requests_total', labels)
      const from = { uri, ...(remote !== undefined && { remote }), ...(userAgent && { userAgent }) }
      audit.recordUnknown({ requestId, wire: 'grpc', operation: path, caller, ...from, code: failure.code })
    }
    call.emit('error', serviceError(failure, requestId))
  },
})

/** Characters of a path that are repeated to its caller. */
const LONGEST_PATH = 256
