import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { verifiedByWorker } from '../identity/certificate.js'
import type { RequestHead } from '../listener/request-head.js'
import type { CircuitState } from '../proxy/circuit/circuit.js'
import type { ProxyOptions } from '../proxy/proxy-options.js'
import { Channel, WORKER_PIPE } from './channel.js'
import type { ToParent, ToWorker, WorkerSettings } from './messages.js'
import type { Greeting } from './relay-listener.js'
import { WorkerCalls } from './worker-calls.js'

/** What a worker has beyond the grace period to end, in milliseconds. */
const END_MS = 1_000

/** A caller's connection that a worker has: what is left of it here. */
interface GivenConnection {
  /** Without its handle. Destroying it is what tells its end here. */
  readonly husk: Socket
  readonly address: RequestHead['socket']
}

/** What a worker is started with. */
export interface WorkerProcessOptions {
  readonly number: number
  /** The program of a worker. */
  readonly program: string
  readonly settings: Omit<WorkerSettings, 'relaySecret'>
  readonly proxy: ProxyOptions
  readonly ready: () => void
  /** Called once, when the process has ended or cannot be used. */
  readonly ended: (because: string) => void
}

/** One worker, as its parent sees it. It is never used again once `ended` was called. */
export class WorkerProcess {
  readonly #secret = randomBytes(32).toString('hex')
  readonly #connections = new Map<number, GivenConnection>()
  readonly #openCircuits = new Map<string, CircuitState>()
  readonly #child: ChildProcess
  readonly #channel: Channel<ToWorker, ToParent>
  readonly #calls: WorkerCalls
  readonly #exited: Promise<void>
  #given = 0
  #isOver = false

  constructor(private readonly options: WorkerProcessOptions) {
    // Its signals come from here, and its standard input is closed: an interrupt from a terminal reaches both.
    this.#child = spawn(process.execPath, [...process.execArgv, options.program], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'],
    })
    this.#exited = new Promise(resolve => {
      this.#child.once('exit', (code, signal) => {
        this.#end(signal ? `it was ended by ${signal}` : `it exited with ${code}`)
        resolve()
      })
      this.#child.once('error', error => {
        this.#end(error.message)
        // Where it could not be started there is no exit.
        if (this.#child.pid === undefined) resolve()
      })
    })
    this.#channel = new Channel(
      this.#child.stdio[WORKER_PIPE] as Duplex,
      message => this.#received(message),
      error => this.#end(error?.message ?? 'it closed its channel'),
    )
    this.#calls = new WorkerCalls(options.proxy, message => this.#channel.send(message))
    this.#channel.send({ is: 'start', settings: { ...options.settings, relaySecret: this.#secret } })
  }

  /** Connections that it has now. */
  get size(): number {
    return this.#connections.size
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Gives it an accepted connection, of which nothing was read. */
  give(socket: Socket): void {
    const { remoteAddress, remotePort } = socket
    this.#given += 1
    const connection = this.#given
    this.#connections.set(connection, { husk: socket, address: { remoteAddress, remotePort } })
    this.#child.send({ connection }, socket, error => {
      // The worker has ended meanwhile, and says so itself.
      if (error) this.#ended(connection)
    })
  }

  /** Whether a connection to the relay socket is this worker's, and has a caller; it is noted of the socket then. */
  vouchesFor({ secret, connection, certificate }: Greeting, socket: Socket): boolean {
    const given = secret === this.#secret ? this.#connections.get(connection) : undefined
    if (!given) return false
    const { remoteAddress, remotePort } = given.address
    Object.defineProperties(socket, {
      remoteAddress: { value: remoteAddress },
      remotePort: { value: remotePort },
    })
    verifiedByWorker(socket, certificate)
    return true
  }

  /** Lets it end what it does, and kills it when that takes longer. Resolves when it has ended. */
  async stop(graceMs: number): Promise<void> {
    this.#channel.send({ is: 'stop', graceMs })
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), graceMs + END_MS)
    await this.#exited
    clearTimeout(kill)
  }

  #received(message: ToParent): void {
    const { log, meter } = this.options.proxy
    switch (message.is) {
      case 'ready':
        this.options.ready()
        return
      case 'certificate':
        this.#certified(message)
        return
      case 'ended':
        this.#ended(message.connection)
        return
      case 'ask':
        // A connection that has ended meanwhile has no address any more; the answer reaches nobody.
        this.#calls.ask(message, this.#connections.get(message.connection)?.address ?? {})
        return
      case 'begun':
        this.#calls.begun(message)
        return
      case 'over':
        this.#calls.over(message)
        return
      case 'refused':
      case 'forbade':
        this.#calls.notAllowed(message)
        return
      case 'circuit':
        this.#circuit(message)
        return
      case 'count':
        meter.count(message.name, message.labels)
        return
      case 'log':
        log[message.level]({ worker: this.options.number, ...message.fields }, message.message)
        return
    }
  }

  #certified({ connection, certificate }: Extract<ToParent, { readonly is: 'certificate' }>): void {
    const given = this.#connections.get(connection)
    if (given) verifiedByWorker(given.address, certificate)
  }

  #circuit({ server, from, to }: Extract<ToParent, { readonly is: 'circuit' }>): void {
    if (to === 'closed') this.#openCircuits.delete(server)
    else this.#openCircuits.set(server, to)
    this.options.proxy.circuits.changed(server, from, to)
  }

  #ended(connection: number): void {
    this.#connections.get(connection)?.husk.destroy()
    this.#connections.delete(connection)
  }

  #end(because: string): void {
    if (this.#isOver) return
    this.#isOver = true
    // Where it is not over by itself: it must not go on without its parent.
    this.#child.kill('SIGKILL')
    this.#calls.lost()
    for (const connection of this.#connections.keys()) this.#ended(connection)
    for (const [server, state] of this.#openCircuits)
      this.options.proxy.circuits.changed(server, state, 'closed')
    this.options.ended(because)
  }
}
