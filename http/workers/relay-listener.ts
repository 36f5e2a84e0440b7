import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Server as HttpServer } from 'node:http'
import { createServer as createSocketServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ServiceSettingError } from '../../ports/service-error.js'
import type { ClientCertificate } from '../identity/certificate.js'
import { serveAccepted } from '../listener/listener.js'

/** A worker introduces a connection with its first line, of at most so many bytes. */
const LONGEST_GREETING = 32 * 1024
/** How long it may take to, in milliseconds. */
const GREETING_MS = 5_000

/** What a worker's first line on the relay socket says. */
export interface Greeting {
  /** Proves which worker it is. */
  readonly secret: string
  /** The caller's connection whose requests follow. */
  readonly connection: number
  /** Which the caller showed on it, and the worker verified. */
  readonly certificate?: ClientCertificate | undefined
}

/** The line that says it. */
export const greetingLine = ({ secret, connection, certificate = {} }: Greeting): string =>
  `${secret} ${connection} ${JSON.stringify(certificate)}\n`

/** Takes the requests that workers do not answer themselves, each caller's connection over one of its own. */
export interface RelayListener {
  /** The path of the Unix socket. */
  readonly path: string
  /** Takes no new connections, waits for requests under way, and cuts off what is left after `graceMs`. */
  close(graceMs: number): Promise<void>
}

/**
 * Listens on a Unix socket in a new folder that only this user can enter. There is no TLS: the workers have ended it.
 * @param server answers the requests; it must not listen by itself
 * @param accept the caller behind a connection: its address, and whatever else is noted of the socket; false for an unknown one
 * @throws ServiceSettingError where no folder can be made
 */
export async function listenForWorkers(
  server: HttpServer,
  accept: (greeting: Greeting, socket: Socket) => boolean,
): Promise<RelayListener> {
  const folder = await newFolder()
  const path = join(folder, 'relay')
  const closeServer = serveAccepted(server)
  const greeted = (socket: Socket, greeting: Greeting, rest: Buffer): void => {
    if (!accept(greeting, socket)) {
      socket.destroy()
      return
    }
    if (rest.length > 0) socket.unshift(rest)
    server.emit('connection', socket)
    // It was paused, and what was put back is read only when it flows.
    socket.resume()
  }
  const acceptor = createSocketServer({ allowHalfOpen: true }, socket => readGreeting(socket, greeted))
  acceptor.listen(path)
  await once(acceptor, 'listening')
  return {
    path,
    async close(graceMs) {
      acceptor.close()
      await closeServer(graceMs)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function newFolder(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), 'kairship-workers-'))
  } catch (error) {
    throw new ServiceSettingError(
      `workers: no folder for their socket can be made in ${tmpdir()} (${(error as Error).message}): mount one there that can be written, or name one by TMPDIR`,
    )
  }
}

function readGreeting(
  socket: Socket,
  then: (socket: Socket, greeting: Greeting, rest: Buffer) => void,
): void {
  let read = Buffer.alloc(0)
  const late = setTimeout(() => socket.destroy(), GREETING_MS)
  const cut = () => socket.destroy()
  const take = (chunk: Buffer): void => {
    read = Buffer.concat([read, chunk])
    const end = read.indexOf('\n')
    if (end < 0 && read.length <= LONGEST_GREETING) return
    clearTimeout(late)
    socket.off('data', take)
    socket.off('error', cut)
    socket.pause()
    const greeting = end < 0 ? undefined : greetingOf(read.subarray(0, end).toString())
    if (greeting) then(socket, greeting, read.subarray(end + 1))
    else socket.destroy()
  }
  socket.on('data', take)
  socket.on('error', cut)
  socket.once('close', () => clearTimeout(late))
}

function greetingOf(line: string): Greeting | undefined {
  const [, secret, connection, certificate] = /^([0-9a-f]{64}) (\d{1,15}) (\{.*\})$/.exec(line) ?? []
  if (secret === undefined || certificate === undefined) return undefined
  try {
    return {
      secret,
      connection: Number(connection),
      certificate: JSON.parse(certificate) as ClientCertificate,
    }
  } catch {
    // No worker wrote it.
    return undefined
  }
}
