import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Check } from '../health/readiness.js'
import type { Address } from '../listener/address.js'
import type { Listener } from '../listener/listener.js'
import type { ProxyOptions } from '../proxy/proxy-options.js'
import type { WorkerSettings } from './messages.js'
import { type Greeting, listenForWorkers } from './relay-listener.js'
import { WorkerProcess } from './worker-process.js'

/** A worker that ends is started again after so long, in milliseconds, which doubles each time. */
const FIRST_REST_MS = 100
const LONGEST_REST_MS = 30_000
/** A worker that ran for so long, in milliseconds, is started again at once. */
const RAN_WELL_MS = 60_000
/** How long all workers may take to start, in milliseconds. */
const START_MS = 30_000
/** Of the keys of TLS session tickets, as Node.js takes them. */
const KEY_BYTES = 48

/** How the proxy's requests are passed on by processes of their own. */
export interface WorkersOptions {
  /** How many. */
  readonly count: number
  /** The program of a worker. */
  readonly program: string
}

/** What the front of an API with workers needs. */
export interface FrontOptions extends WorkersOptions {
  readonly address: Address
  readonly settings: Omit<WorkerSettings, 'relaySocket' | 'relaySecret' | 'ticketKeys'>
  readonly proxy: ProxyOptions
  /** Answers what workers do not; it must not listen by itself. */
  readonly server: HttpServer
  /** Counts and bounds the connections of each address. */
  readonly guard: (listener: Pick<Server, 'prependListener'>) => void
}

/** The listener whose connections workers have. */
export interface Front extends Listener {
  readonly check: Check
}

/**
 * Starts the workers, then listens. This process accepts connections and reads nothing of them: each goes to the worker that has the fewest. A worker
 * ends TLS, and passes on reads that an instance's control plane answers once this process has decided; everything else comes back over the relay socket.
 * @throws the system's error where it cannot listen, or Error when workers do not start
 */
export async function startFront(options: FrontOptions): Promise<Front> {
  const workers = new Workers(options)
  const relay = await listenForWorkers(options.server, (greeting, socket) =>
    workers.vouchFor(greeting, socket),
  )
  const acceptor = createServer({ pauseOnConnect: true, allowHalfOpen: true }, socket => workers.give(socket))
  options.guard(acceptor)
  try {
    await workers.start(relay.path)
    const { host, port } = options.address
    acceptor.listen(port, host)
    await once(acceptor, 'listening')
  } catch (error) {
    await workers.stop(0)
    await relay.close(0)
    throw error
  }
  const { port } = acceptor.address() as AddressInfo
  return {
    port,
    check: workers.check,
    async close(graceMs) {
      acceptor.close()
      // What is relayed ends with the calls of the workers.
      await Promise.all([workers.stop(graceMs), relay.close(graceMs)])
    },
  }
}

/** The workers of this process: those that run, and those that rest before they are started again. */
class Workers {
  readonly #ready = new Map<number, WorkerProcess>()
  readonly #started = new Map<number, WorkerProcess>()
  readonly #resting = new Set<NodeJS.Timeout>()
  readonly #ticketKeys = randomBytes(KEY_BYTES).toString('base64')
  #relaySocket = ''
  #isStopping = false
  #isReady: () => void = () => undefined

  constructor(private readonly options: FrontOptions) {}

  readonly check: Check = {
    name: 'workers',
    problem: async () =>
      this.#ready.size > 0 ? undefined : `none of ${this.options.count} workers is running: see the log`,
  }

  async start(relaySocket: string): Promise<void> {
    this.#relaySocket = relaySocket
    const { count } = this.options
    let late: NodeJS.Timeout | undefined
    const allReady = new Promise<void>((resolve, reject) => {
      this.#isReady = () => {
        if (this.#ready.size === count) resolve()
      }
      late = setTimeout(() => {
        reject(
          new Error(
            `${this.#ready.size} of ${count} workers started within ${START_MS / 1_000} s: see the log`,
          ),
        )
      }, START_MS)
    })
    for (let number = 1; number <= count; number++) this.#begin(number, FIRST_REST_MS)
    try {
      await allReady
    } finally {
      clearTimeout(late)
    }
  }

  /** A connection that no worker can take is closed: its caller comes again, here or at another replica. */
  give(socket: Socket): void {
    // Refused by the limit of its address.
    if (socket.destroyed) return
    let fewest: WorkerProcess | undefined
    for (const worker of this.#ready.values()) if (!fewest || worker.size < fewest.size) fewest = worker
    if (fewest) fewest.give(socket)
    else socket.destroy()
  }

  vouchFor(greeting: Greeting, socket: Socket): boolean {
    for (const worker of this.#started.values()) if (worker.vouchesFor(greeting, socket)) return true
    return false
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true
    for (const timer of this.#resting) clearTimeout(timer)
    await Promise.all([...this.#started.values()].map(worker => worker.stop(graceMs)))
  }

  #begin(number: number, restMs: number): void {
    const { program, settings, proxy } = this.options
    const { log, meter } = proxy
    const startedAt = proxy.now()
    const worker = new WorkerProcess({
      number,
      program,
      proxy,
      settings: { ...settings, relaySocket: this.#relaySocket, ticketKeys: this.#ticketKeys },
      ready: () => {
        this.#ready.set(number, worker)
        meter.gauge('kairship_workers', this.#ready.size)
        log.info({ worker: number, pid: worker.pid }, 'a worker is ready')
        this.#isReady()
      },
      ended: because => {
        this.#ready.delete(number)
        this.#started.delete(number)
        meter.gauge('kairship_workers', this.#ready.size)
        if (this.#isStopping) return
        const ranWell = proxy.now() - startedAt >= RAN_WELL_MS
        const rest = ranWell ? FIRST_REST_MS : restMs
        meter.count('kairship_worker_restarts_total')
        log.error(
          { worker: number, because, restMs: rest },
          'a worker has ended, and its connections with it: it is started again',
        )
        const timer = setTimeout(() => {
          this.#resting.delete(timer)
          this.#begin(number, Math.min(rest * 2, LONGEST_REST_MS))
        }, rest)
        this.#resting.add(timer)
      },
    })
    this.#started.set(number, worker)
  }
}
