import { isDateTime } from '../../apimachinery/schema/formats.js'
import { badRequest } from '../../apiserver/api-status.js'
import type { ApiResponse } from '../../apiserver/wire/exchange.js'
import type { ContainerLog, LogLine } from './container-log.js'

/** `pods/{name}/log`: follow, tailLines, sinceSeconds, sinceTime, timestamps and limitBytes, as a kubelet understands them. */
export function readLog(log: ContainerLog, query: URLSearchParams, signal: AbortSignal): ApiResponse {
  const since = sinceMs(query, log.now())
  const tail = count(query, 'tailLines')
  const limit = count(query, 'limitBytes') ?? Number.POSITIVE_INFINITY
  const follow = query.get('follow') === 'true'
  const withTime = query.get('timestamps') === 'true'
  const recent = log.lines.filter(({ time }) => time >= since)
  const first = tail === undefined ? recent : recent.slice(Math.max(0, recent.length - tail))
  const text = ({ time, text }: LogLine) =>
    Buffer.from(withTime ? `${new Date(time).toISOString().replace('Z', '000000Z')} ${text}\n` : `${text}\n`)
  const lines = follow ? following(log, first, signal) : first
  return {
    code: 200,
    headers: { 'content-type': 'text/plain' },
    body: { stream: limited(lines, text, limit) },
  }
}

async function* limited(
  lines: AsyncIterable<LogLine> | Iterable<LogLine>,
  text: (line: LogLine) => Buffer,
  limit: number,
): AsyncIterable<Buffer> {
  let left = limit
  for await (const line of lines) {
    const bytes = text(line).subarray(0, left)
    if (bytes.length > 0) yield bytes
    left -= bytes.length
    if (left <= 0) return
  }
}

/**
 * What there is, and then each line as it is written, until the container's run is over or the reader leaves. Subscribed before
 * anything is awaited.
 */
function following(
  log: ContainerLog,
  first: readonly LogLine[],
  signal: AbortSignal,
): AsyncIterable<LogLine> {
  const waiting = [...first]
  let wake: () => void = () => undefined
  const leave = log.follow({
    line: line => {
      waiting.push(line)
      wake()
    },
    end: () => wake(),
  })
  signal.addEventListener(
    'abort',
    () => {
      leave()
      wake()
    },
    { once: true },
  )
  return (async function* () {
    try {
      while (!signal.aborted) {
        const next = waiting.shift()
        if (next) yield next
        else if (log.isEnded) return
        else
          await new Promise<void>(resolve => {
            wake = resolve
          })
      }
    } finally {
      leave()
    }
  })()
}

function sinceMs(query: URLSearchParams, now: number): number {
  const [seconds, time] = [count(query, 'sinceSeconds'), query.get('sinceTime')]
  if (seconds !== undefined && time)
    throw badRequest('at most one of sinceTime or sinceSeconds may be specified')
  if (seconds !== undefined) return now - seconds * 1000
  if (!time) return 0
  if (!isDateTime(time))
    throw badRequest(`sinceTime: Invalid value: ${JSON.stringify(time)}: must be a time of RFC 3339`)
  return Date.parse(time)
}

function count(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name)
  if (value === null || value === '') return undefined
  if (!/^\d+$/.test(value))
    throw badRequest(`${name}: Invalid value: ${JSON.stringify(value)}: must be a number`)
  return Number(value)
}
