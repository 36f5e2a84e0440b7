import { type DestinationStream, pino } from 'pino'
import type { Config } from '../../config.js'
import type { Log } from '../../ports/log.js'
import { printable } from '../print/printable.js'
import { redacted } from './redact.js'

/** A stream that may be a terminal. */
export interface Destination {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** The logger of a process: JSON lines for programs, one calm line each for people, secrets gone in both. */
export function createLog(
  { logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>,
  destination: Destination = process.stderr,
): Log {
  const asText = logFormat === 'text' || (logFormat === 'auto' && destination.isTTY === true)
  const stream: DestinationStream = asText
    ? { write: line => destination.write(printable(textLine(line))) }
    : { write: line => destination.write(line) }
  const logger = pino(
    {
      level: logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
    },
    stream,
  )
  return redacting(logger)
}

function redacting(logger: Log): Log {
  return {
    debug: (fields, message) => logger.debug(redacted(fields), message),
    info: (fields, message) => logger.info(redacted(fields), message),
    warn: (fields, message) => logger.warn(redacted(fields), message),
    error: (fields, message) => logger.error(redacted(fields), message),
    child: fields => redacting(logger.child(redacted(fields) as Record<string, unknown>)),
  }
}

const marks: Readonly<Record<string, string>> = { debug: '·', info: ' ', warn: '!', error: '✗' }

/** `{"level":"info","time":"…","msg":"took the lease","holder":"a"}` → `03:14:15   took the lease  holder=a` */
function textLine(json: string): string {
  const { level, time, msg, ...fields } = JSON.parse(json) as Record<string, unknown>
  const pairs = Object.entries(fields).map(([key, value]) => `${key}=${plain(value)}`)
  return `${String(time).slice(11, 19)} ${marks[String(level)] ?? ' '} ${[msg, pairs.join(' ')].filter(Boolean).join('  ')}\n`
}

const plain = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
