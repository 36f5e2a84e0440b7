import { create, type MessageShape } from '@bufbuild/protobuf'
import type { Server, ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js'
import {
  Health,
  type HealthCheckRequestSchema,
  HealthCheckResponseSchema,
  HealthListResponseSchema,
  HealthCheckResponse_ServingStatus as Status,
} from '../../proto/gen/grpc/health/v1_pb.js'
import { notFound, unavailable } from '../errors/failure.js'
import { toFailure } from '../errors/to-failure.js'
import { arrivedWith } from './authentication.js'
import { serviceDefinition } from './definition.js'
import { serviceError } from './service-error.js'
import { HEALTH_WATCHES, OpenStreams, type StreamLimits } from './stream-limits.js'

type Request = MessageShape<typeof HealthCheckRequestSchema>
type Response = MessageShape<typeof HealthCheckResponseSchema>

const responseOf = (status: Status): Response => create(HealthCheckResponseSchema, { status })

/** What the health service reports of. */
export interface HealthOptions {
  /** Full names of the services that serve while `ready` is true; '' is the server as a whole. */
  readonly checked: readonly string[]
  /** Full names of the services that serve until `stop`. */
  readonly always: readonly string[]
  readonly ready: () => Promise<boolean>
  readonly limits?: StreamLimits
  /** Milliseconds between two looks at `ready` while there is a watch. */
  readonly everyMs?: number
}

const EVERY_MS = 2_000

/**
 * The standard health service, open to anyone. Ours and not grpc-health-check's, because that one keeps an entry for every
 * name that anyone ever watched, and any number of watches for ever. It looks whether the server is ready only when it is
 * called and while it is watched.
 */
export class HealthService {
  readonly #statuses: Map<string, Status>
  readonly #watches = new Set<() => void>()
  readonly #open: OpenStreams
  #looking: NodeJS.Timeout | undefined
  #stopped = false

  constructor(private readonly options: HealthOptions) {
    const { checked, always, limits = HEALTH_WATCHES } = options
    this.#statuses = new Map([
      ...checked.map(name => [name, Status.NOT_SERVING] as const),
      ...always.map(name => [name, Status.SERVING] as const),
    ])
    this.#open = new OpenStreams('open health watches', limits)
  }

  /** Nothing serves from now on, and every watch receives that. */
  stop(): void {
    this.#stopped = true
    this.#set(this.#statuses.keys(), Status.NOT_SERVING)
  }

  async #look(): Promise<void> {
    const ready = await this.options.ready()
    if (!this.#stopped) this.#set(this.options.checked, ready ? Status.SERVING : Status.NOT_SERVING)
  }

  #set(names: Iterable<string>, status: Status): void {
    for (const name of names) this.#statuses.set(name, status)
    for (const changed of this.#watches) changed()
  }

  addTo(server: Server): void {
    server.addService(serviceDefinition(Health), {
      Check: async (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>) => {
        await this.#look()
        const status = this.#statuses.get(call.request.service)
        if (status !== undefined) callback(null, responseOf(status))
        else {
          const unknown = notFound(`there is no service called ${JSON.stringify(call.request.service)}`)
          callback(serviceError(unknown, arrivedWith(call.metadata).requestId))
        }
      },
      List: async (_: unknown, callback: sendUnaryData<MessageShape<typeof HealthListResponseSchema>>) => {
        await this.#look()
        const statuses = Object.fromEntries(
          [...this.#statuses].map(([name, status]) => [name, responseOf(status)]),
        )
        callback(null, create(HealthListResponseSchema, { statuses }))
      },
      Watch: async (call: ServerWritableStream<Request, Response>) => {
        await this.#look()
        this.#watch(call)
      },
    })
  }

  #watch(call: ServerWritableStream<Request, Response>): void {
    const { requestId, remote = 'unknown' } = arrivedWith(call.metadata)
    const fail = (error: unknown) => call.emit('error', serviceError(toFailure(error), requestId))
    let sent: Status | undefined
    const changed = () => {
      const status = this.#statuses.get(call.request.service) ?? Status.SERVICE_UNKNOWN
      // A reader that is slow receives the latest status when it reads on, and none of those between.
      if (status === sent || call.writableNeedDrain) return
      sent = status
      call.write(responseOf(status))
    }
    try {
      const release = this.#open.open(remote, () => {
        end()
        fail(unavailable('the watch has reached its longest life: watch again'))
      })
      const end = () => {
        this.#watches.delete(changed)
        release()
        if (this.#watches.size === 0) {
          clearInterval(this.#looking)
          this.#looking = undefined
        }
      }
      call.on('drain', changed)
      call.on('cancelled', end)
      this.#watches.add(changed)
      this.#looking ??= setInterval(() => void this.#look(), this.options.everyMs ?? EVERY_MS).unref()
      if (call.cancelled) end()
      else changed()
    } catch (error) {
      fail(error)
    }
  }
}
