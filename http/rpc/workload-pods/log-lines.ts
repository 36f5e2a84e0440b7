/** One line of a container’s log. */
export interface LogLine {
  /** RFC 3339 in UTC, with the kubelet's digits; empty where the line has none. */
  readonly time: string
  /** The same in nanoseconds since 1970; that of the line before where the line has none. */
  readonly at: bigint
  readonly text: string
  readonly truncated: boolean
}

/** Bytes of a line that are kept; the rest is left out. */
export const LONGEST_LINE = 64 << 10

/** Parts of a line that are held. Each takes some hundred bytes beside its own, and a member may send single bytes. */
const MOST_PARTS = 256

const NEWLINE = 0x0a
/** `2026-11-20T10:00:00.123456789Z text`; a kubelet writes as many digits as there are, and may write its own time zone. */
const STAMPED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)(?: |$)/

/** The characters of `2026-11-20T10:00:00.123Z`. */
const UTC_LENGTH = 24

/**
 * Reads the lines of a log that was requested with timestamps. Of each no more is held than `LONGEST_LINE`, and nothing beyond the
 * chunk that it is in is read ahead. A line without an end at the end of the log is one, too.
 */
export async function* logLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<LogLine, void> {
  let parts: Buffer[] = []
  let [kept, at, truncated] = [0, 0n, false]
  const take = (bytes: Buffer) => {
    const room = LONGEST_LINE - kept
    if (bytes.length > room) truncated = true
    if (room > 0 && bytes.length > 0) {
      // A copy: a view would hold the whole chunk.
      parts.push(Buffer.from(bytes.subarray(0, room)))
      if (parts.length > MOST_PARTS) parts = [Buffer.concat(parts)]
      kept += Math.min(room, bytes.length)
    }
  }
  const line = (): LogLine => {
    const found = lineOf(Buffer.concat(parts).toString('utf8'), at, truncated)
    at = found.at
    parts = []
    kept = 0
    truncated = false
    return found
  }
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      take(bytes.subarray(start, end))
      start = end + 1
      yield line()
    }
    if (start < bytes.length) take(bytes.subarray(start))
  }
  if (kept > 0) yield line()
}

function lineOf(text: string, before: bigint, truncated: boolean): LogLine {
  const [stamp = '', seconds = '', fraction = '', zone = ''] = STAMPED.exec(text) ?? []
  const ms = Date.parse(`${seconds}${zone}`)
  const utc = Number.isNaN(ms) ? '' : new Date(ms).toISOString()
  // In UTC a year may have more than four digits.
  if (utc.length !== UTC_LENGTH) return { time: '', at: before, text: withoutReturn(text), truncated }
  const at = BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'))
  const time = `${utc.slice(0, 19)}${fraction && `.${fraction}`}Z`
  return { time, at, text: withoutReturn(text.slice(stamp.length)), truncated }
}

const withoutReturn = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text)
