import { PassThrough, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { badRequest } from '../../apiserver/api-status.js'
import type { ApiRequest } from '../../apiserver/wire/exchange.js'
import { acceptChannels, type ChannelHandlers, type Channels } from './channels.js'
import type { CommandContext } from './command.js'
import type { ContainerLog } from './container-log.js'
import type { Files } from './files.js'
import { acceptSpdyChannels } from './spdy/command-channels.js'
import { asksForSpdy } from './spdy/upgrade.js'
import { run } from './toy-shell.js'

/** Kubernetes' remote command protocols over WebSocket; the fourth has no way to say that the input is over. */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const
const [STDIN, STDOUT, STDERR, ERROR, RESIZE] = [0, 1, 2, 3, 4]
/** What terminals had before windows. */
const UNKNOWN_SIZE = { columns: 80, rows: 24 }

/** 128 and SIGKILL. */
const KILLED = 137

/** What is inside a container. */
export interface Inside {
  readonly environment: Readonly<Record<string, string>>
  readonly log: ContainerLog
  readonly files: Files
}

/** `pods/{name}/exec`: runs a toy command until it ends or the container does, and says on the error channel how it ended. */
export async function exec(request: ApiRequest, container: Inside): Promise<void> {
  const command = request.query.getAll('command')
  if (command.length === 0) throw badRequest('you must specify at least 1 command for the container')
  const { channels, stdin, stdout, stderr, terminal } = await streams(request)
  // What runs in a container ends with it.
  const over = new AbortController()
  over.signal.addEventListener('abort', () => stdin.end(), { once: true })
  const leave = container.log.follow({ line: () => undefined, end: () => over.abort() })
  const context = {
    stdin,
    stdout,
    stderr,
    ...container,
    ...(terminal && { terminal }),
    signal: AbortSignal.any([channels.gone, over.signal]),
  }
  const running = run(command, context)
  const code = await running?.finally(leave)
  if (code === undefined) leave()
  const status =
    code === undefined ? cannotRun(command[0] ?? '') : exitStatus(over.signal.aborted ? KILLED : code)
  // What was not read is thrown away: a caller that is held back could not end the connection.
  stdin.resume()
  await finish(channels, status, stdout, stderr)
}

/**
 * `pods/{name}/attach`: what the container writes from now on, until it ends or the caller leaves; what it is given is written to
 * its log.
 */
export async function attach(request: ApiRequest, { log }: Inside): Promise<void> {
  const { channels, stdin, stdout } = await streams(request)
  stdin.setEncoding('utf8').on('data', (text: string) => {
    for (const line of text.split('\n')) if (line !== '') log.write(line)
  })
  const leave = log.follow({
    line: ({ text }) => stdout.write(`${text}\n`),
    end: () => {
      // Where the caller has left meanwhile there is nobody to send it to.
      void finish(channels, exitStatus(0), stdout).catch(() => undefined)
    },
  })
  channels.gone.addEventListener('abort', leave, { once: true })
}

async function streams(request: ApiRequest): Promise<{
  channels: Channels
  stdin: PassThrough
  stdout: Writable
  stderr: Writable
  terminal: CommandContext['terminal']
}> {
  const stdin = new PassThrough()
  let size = UNKNOWN_SIZE
  const handlers: ChannelHandlers = {
    message: (channel, data) => {
      if (channel === RESIZE) size = sizeIn(data) ?? size
      // Input may come that was not asked for, or after it was said to be over.
      if (channel === STDIN && stdin.writable && !stdin.write(data)) channels.pause()
    },
    ended: channel => {
      if (channel === STDIN) stdin.end()
    },
  }
  const channels = asksForSpdy(request)
    ? await acceptSpdyChannels(request, handlers)
    : await acceptChannels(request, PROTOCOLS, handlers)
  stdin.on('drain', () => channels.resume())
  channels.gone.addEventListener('abort', () => stdin.end(), { once: true })
  if (request.query.get('stdin') !== 'true') stdin.end()
  const tty = request.query.get('tty') === 'true'
  return {
    channels,
    stdin,
    stdout: into(channels, STDOUT, tty),
    stderr: into(channels, tty ? STDOUT : STDERR, tty),
    terminal: tty ? { size: () => size } : undefined,
  }
}

/** @param tty a terminal's driver makes a line end of its two characters */
const into = (channels: Channels, channel: number | undefined, tty: boolean): Writable =>
  new Writable({
    write(chunk: Buffer, _, done) {
      const data = tty ? Buffer.from(chunk.toString('latin1').replaceAll('\n', '\r\n'), 'latin1') : chunk
      channels.send(channel ?? 0, data).then(() => done(), done)
    },
  })

/** The size of a window, as the client reports it; undefined where it is none. */
function sizeIn(data: Buffer): { columns: number; rows: number } | undefined {
  try {
    const { Width, Height } = JSON.parse(data.toString()) as { Width?: unknown; Height?: unknown }
    return typeof Width === 'number' && typeof Height === 'number'
      ? { columns: Width, rows: Height }
      : undefined
  } catch {
    // A real kubelet logs it and goes on.
    return undefined
  }
}

/** Ends the outputs, sends how it went, and closes. */
async function finish(channels: Channels, status: object, ...outputs: readonly Writable[]): Promise<void> {
  await ended(...outputs)
  await channels.send(ERROR, Buffer.from(JSON.stringify(status)))
  channels.close()
}

/** Resolves when all that was written is on its way. */
async function ended(...outputs: readonly Writable[]): Promise<void> {
  for (const output of outputs) {
    output.end()
    await finished(output)
  }
}

const exitStatus = (code: number) =>
  code === 0
    ? { metadata: {}, status: 'Success' }
    : {
        metadata: {},
        status: 'Failure',
        message: `command terminated with non-zero exit code: exit status ${code}`,
        reason: 'NonZeroExitCode',
        details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
      }

const cannotRun = (program: string) => ({
  metadata: {},
  status: 'Failure',
  message: `Internal error occurred: error executing command in container: exec: "${program}": executable file not found in $PATH`,
  reason: 'InternalError',
  details: { causes: [{ message: `exec: "${program}": executable file not found in $PATH` }] },
  code: 500,
})
