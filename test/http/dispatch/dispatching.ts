import { create, type Message } from '@bufbuild/protobuf'
import type { Call } from '../../../http/call/call.js'
import { createDispatcher, type DispatcherOptions } from '../../../http/dispatch/dispatcher.js'
import type { Arrival, ReadRequest } from '../../../http/dispatch/running-call.js'
import { AnswerMemory } from '../../../http/limits/answer-memory.js'
import { ConcurrencyLimit } from '../../../http/limits/concurrency-limit.js'
import type { Operation } from '../../../http/operation/operation.js'
import { InstanceService } from '../../../proto/gen/kairship/instance_pb.js'
import { fakeMeter } from '../fakes/api.js'
import { fakeLog } from '../fakes/log.js'

const { watchInstances } = InstanceService.method

/** A dispatcher with one place for streams, and one operation, which anyone may call. */
export function dispatching(
  handle: (call: Call) => unknown,
  method: Operation['method'] = watchInstances,
  {
    permission = { anyCaller: true },
    namingFields = [],
    ...options
  }: Partial<DispatcherOptions> & {
    readonly permission?: object | null
    readonly namingFields?: readonly string[]
  } = {},
) {
  const stopping = new AbortController()
  const { meter, counts } = fakeMeter()
  const answers = new AnswerMemory()
  const log = fakeLog()
  const dispatcher = createDispatcher({
    locked: { refusal: () => undefined },
    live: { add: () => ({ leave: () => undefined, note: () => undefined }) },
    authorizer: { decide: () => ({ allowed: false, reason: '' }) },
    log,
    audit: log.audit,
    meter,
    streams: new ConcurrencyLimit('open streams', 1),
    answers,
    stopping: stopping.signal,
    now: () => 0,
    random: () => 0,
    ...options,
  })
  const operation = {
    ...{ id: 'Test', method, bindings: [], object: undefined, namingFields },
    permission: permission ?? undefined,
    handle: (_: unknown, call: Call) => handle(call),
  } as unknown as Operation
  const caller = { user: 'ann', groups: [], extra: {} }
  const arrival = (more: Partial<Arrival> = {}): Arrival => ({
    wire: 'rest',
    requestId: 'r',
    uri: '/',
    caller,
    ...more,
  })
  const request: ReadRequest = () => create(method.input) as Message
  return {
    stopping,
    stream: (more?: Partial<Arrival>, read = request) => dispatcher.stream(operation, read, arrival(more)),
    unary: (more?: Partial<Arrival>, read = request) => dispatcher.unary(operation, read, arrival(more)),
    refused: (failure: Parameters<typeof dispatcher.refused>[2]) =>
      dispatcher.refused(operation, arrival(), failure),
    answers,
    log,
    /** The codes of the recorded calls, in no order. */
    recorded: () => [...counts].flatMap(([key, times]) => Array(times).fill(/"code":"(\w+)"/.exec(key)?.[1])),
  }
}

/** A source that sends nothing, and whether it was closed. */
export function silentSource() {
  const source = { isClosed: false }
  const iterable = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise<never>(() => undefined),
      return: async () => {
        source.isClosed = true
        return { done: true as const, value: undefined }
      },
    }),
  }
  return { source, iterable }
}
