import { once } from 'node:events'
import { mkdir, open as openFile, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createStream } from 'rotating-file-stream'
import type { Config } from '../../config.js'
import type { AuditLog } from '../../ports/audit-log.js'
import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'
import { CommandError, ExitCode } from '../exit-code.js'

/** The path that means standard output, as for kube-apiserver's `--audit-log-path`. */
const STANDARD_OUTPUT = '-'
/** The path that means that there is no audit log. */
const NOWHERE = 'none'

/** What an audit log needs. */
export interface AuditLogOptions {
  readonly config: Pick<Config, 'auditLogPath' | 'auditLogMaxSize' | 'auditLogMaxBackup'>
  readonly log: Log
  readonly meter: Meter
  readonly stdout?: Writable
}

/** Bytes that may wait for a slow disk or reader, some 16,000 events. Beyond, events are lost rather than the process's memory. */
const MOST_WAITING = 16 * 2 ** 20
/** After a failure the file is opened again so soon, milliseconds. */
const REOPEN_MS = 1_000

/**
 * Opens the audit log that the settings name.
 * @throws CommandError naming the setting whose file cannot be opened
 */
export async function openAuditLog(options: AuditLogOptions): Promise<AuditLog> {
  const { config, stdout = process.stdout } = options
  const path = config.auditLogPath
  if (path === NOWHERE) return { write: () => undefined, close: async () => undefined }
  if (path === STANDARD_OUTPUT) return standardOutput(stdout, options)
  const open = () => fileAt(path, config)
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const first = await open()
    await once(first, 'open')
    return new AuditFile(open, first, options)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CommandError(`auditLogPath cannot be written: ${why}`, ExitCode.usage, { cause: error })
  }
}

/** A file for its owner only, which becomes `path.1`, then `path.2`, as it grows. */
async function fileAt(
  path: string,
  { auditLogMaxSize, auditLogMaxBackup }: AuditLogOptions['config'],
): Promise<Writable> {
  const isCut = await endsWithinLine(path)
  const stream = createStream(basename(path), {
    path: dirname(path),
    mode: 0o600,
    size: `${auditLogMaxSize}M`,
    rotate: auditLogMaxBackup,
  })
  // A full disk, or the end of the process, has cut a line: the next event must not become a part of it.
  if (isCut) stream.write('\n')
  return stream
}

/** Whether there is a file whose last line has no end. */
async function endsWithinLine(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile() || found.size === 0) return false
  const file = await openFile(path, 'r')
  try {
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, found.size - 1)
    return buffer.toString() !== '\n'
  } finally {
    await file.close()
  }
}

/** Not closed: the process has other uses for it. A reader that went away must not end the process: its events are lost. */
function standardOutput(stdout: Writable, options: AuditLogOptions): AuditLog {
  const losses = new Losses(options)
  const failed = (error: Error) => losses.failed(error)
  stdout.on('error', failed)
  return {
    write: event => {
      if (stdout.destroyed || stdout.writableLength > MOST_WAITING) losses.lost()
      else stdout.write(`${JSON.stringify(event)}\n`, error => error && losses.lost())
    },
    close: async () => void stdout.off('error', failed),
  }
}

/** An audit log in a file, which is opened again when it could not be written: a full disk is emptied some day. */
class AuditFile implements AuditLog {
  #stream: Writable | undefined
  #reopening: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined
  readonly #losses: Losses

  constructor(
    private readonly open: () => Promise<Writable>,
    first: Writable,
    options: AuditLogOptions,
  ) {
    this.#losses = new Losses(options)
    this.#use(first)
  }

  write(event: object): void {
    if (!this.#stream || this.#stream.writableLength > MOST_WAITING) this.#losses.lost()
    else this.#stream.write(`${JSON.stringify(event)}\n`, error => error && this.#losses.lost())
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    clearTimeout(this.#reopening)
    const stream = this.#stream
    this.#stream = undefined
    // A failure has been reported by its event.
    if (stream) await finished(stream.end()).catch(() => undefined)
  }

  #use(stream: Writable): void {
    this.#stream = stream
    stream.on('error', error => {
      this.#losses.failed(error)
      if (this.#closing || this.#stream !== stream) return
      this.#stream = undefined
      this.#reopenLater()
    })
  }

  #reopenLater(): void {
    this.#reopening = setTimeout(() => void this.#reopen(), REOPEN_MS)
    this.#reopening.unref()
  }

  async #reopen(): Promise<void> {
    try {
      const stream = await this.open()
      if (!this.#closing) this.#use(stream)
      else stream.on('error', () => undefined).end()
    } catch (error) {
      this.#losses.failed(error as Error)
      if (!this.#closing) this.#reopenLater()
    }
  }
}

/** Counts events that were lost, and says so once until something was reported again. */
class Losses {
  #isReported = false

  constructor(private readonly options: Pick<AuditLogOptions, 'log' | 'meter'>) {}

  lost(): void {
    this.options.meter.count('kairship_audit_events_lost_total')
    if (this.#isReported) return
    this.#isReported = true
    this.options.log.error({}, 'audit events are lost: the audit log cannot be written fast enough or at all')
  }

  failed(error: Error): void {
    this.#isReported = false
    this.options.meter.count('kairship_audit_errors_total')
    this.options.log.error({ err: error }, 'the audit log cannot be written')
  }
}
