import { createServer, type Server } from 'node:https'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { hardened, serveAccepted } from '../listener/listener.js'
import { Pipelines } from '../listener/pipelines.js'
import { KEEP_ALIVE_MS, tlsServerOptions } from '../listener/servers.js'
import { Channel } from './channel.js'
import { WorkerConnections } from './connections.js'
import { type ConnectEndpoint, Endpoints } from './endpoints.js'
import type { ToParent, ToWorker, WorkerSettings } from './messages.js'
import { Passing } from './passing.js'
import { relayRequest, relayUpgrade } from './relay.js'

/** What a worker gets of its process. */
export interface WorkerOptions {
  /** The pipe to the parent. */
  readonly pipe: Duplex
  /** Has the sockets that the parent sends delivered. */
  readonly onSocket: (take: (message: unknown, socket: unknown) => void) => void
  readonly connect: ConnectEndpoint
  /** Ends the process: its parent is gone, or has let it go. */
  readonly exit: (code: number) => void
}

/** Takes connections and passes requests on until the parent ends it, or is gone: without the parent nothing is answered. */
export function runWorker({ pipe, onSocket, connect, exit }: WorkerOptions): void {
  let running: RunningWorker | undefined
  const channel = new Channel<ToParent, ToWorker>(
    pipe,
    message => {
      if (message.is === 'start') running = new RunningWorker(message.settings, channel, connect)
      else if (message.is === 'stop') void running?.stop(message.graceMs).then(() => exit(0))
      else running?.received(message)
    },
    () => exit(1),
  )
  onSocket((message, socket) => {
    if (!(socket instanceof Socket)) return
    const { connection } = message as { readonly connection: number }
    if (running) running.take(socket, connection)
    else socket.destroy()
  })
}

class RunningWorker {
  readonly #server: Server
  readonly #closeServer: (graceMs: number) => Promise<void>
  readonly #connections: WorkerConnections
  readonly #endpoints: Endpoints
  readonly #passing: Passing
  #isStopping = false

  constructor(
    settings: WorkerSettings,
    private readonly channel: Channel<ToParent, ToWorker>,
    connect: ConnectEndpoint,
  ) {
    const send = (message: ToParent) => channel.send(message)
    const now = () => performance.now()
    const { relaySocket: path, relaySecret: secret, slowRequests, patienceMs } = settings
    this.#connections = new WorkerConnections({ path, secret }, send)
    this.#endpoints = new Endpoints(connect, send, now)
    this.#passing = new Passing({ endpoints: this.#endpoints, send, now, patienceMs })
    const options = { ...tlsServerOptions(settings), ticketKeys: Buffer.from(settings.ticketKeys, 'base64') }
    const pipelines = new Pipelines()
    this.#server = hardened(
      createServer(options, (request, response) => {
        if (!pipelines.admits(request.socket, response)) return
        const connection = this.#connections.of(request.socket)
        if (!connection) request.socket.destroy()
        else if (!this.#passing.request(request, response, connection))
          relayRequest(request, response, connection)
      }),
      slowRequests,
    )
    this.#server.on('upgrade', (request, socket, head) => {
      const connection = this.#connections.of(request.socket)
      if (connection) relayUpgrade(request, socket, head, connection)
      else socket.destroy()
    })
    this.#closeServer = serveAccepted(this.#server)
    send({ is: 'ready' })
  }

  /** Takes a connection that the parent has accepted. */
  take(socket: Socket, number: number): void {
    this.#connections.accepted(socket, number)
    if (this.#isStopping) {
      socket.destroy()
      return
    }
    // As a listener does with what it accepts itself.
    socket.allowHalfOpen = true
    socket.setNoDelay(true)
    socket.setKeepAlive(true, KEEP_ALIVE_MS)
    this.#server.emit('connection', socket)
  }

  received(message: Exclude<ToWorker, { readonly is: 'start' | 'stop' }>): void {
    switch (message.is) {
      case 'caller':
        this.#passing.knows(message)
        return
      case 'forget callers':
        this.#passing.forgetCallers()
        return
      case 'endpoint':
        this.#endpoints.add(message)
        return
      case 'token':
        this.#endpoints.renew(message)
        return
      case 'closed':
        void this.#endpoints.close(message.endpoint)
        return
      case 'pass':
      case 'relay':
      case 'refuse':
        this.#passing.decided(message)
        return
      case 'cut':
        this.#passing.cut(message)
        return
    }
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true
    this.#passing.endStreams()
    await this.#closeServer(graceMs)
    await this.channel.close()
  }
}
