import { describe, expect, it } from 'vitest'
import { LONGEST_LINE, type LogLine, logLines } from '../../../../http/rpc/workload-pods/log-lines.js'

async function read(...chunks: readonly (string | Buffer)[]): Promise<LogLine[]> {
  const found: LogLine[] = []
  const bytes = (async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk as string)
  })()
  for await (const line of logLines(bytes)) found.push(line)
  return found
}

const T = '2026-11-20T10:00:00'
const SECOND = BigInt(Date.parse(`${T}Z`)) * 1_000_000n

describe('the lines of a log', () => {
  it('have their time in nanoseconds, whatever the kubelet’s digits and time zone', async () => {
    const lines = await read(`${T}.000000001Z a\n${T}Z b\n${T}.5Z c\n2026-11-20T18:00:00.25+08:00 d\n`)
    expect(lines.map(({ at, text }) => [at - SECOND, text])).toEqual([
      [1n, 'a'],
      [0n, 'b'],
      [500_000_000n, 'c'],
      [250_000_000n, 'd'],
    ])
    // In UTC, so that those who sort them need not know the zones of nodes.
    expect(lines.map(({ time }) => time)).toEqual([`${T}.000000001Z`, `${T}Z`, `${T}.5Z`, `${T}.25Z`])
  })

  it('are whole however they are cut into chunks, also inside a character', async () => {
    const bytes = Buffer.from(`${T}Z grüße\n\n${T}Z \n${T}Z last`)
    const whole = await read(bytes)
    expect(whole.map(({ text }) => text)).toEqual(['grüße', '', '', 'last'])
    for (let cut = 1; cut < bytes.length; cut += 1)
      expect(await read(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(whole)
  })

  it('are whole when they come byte by byte', async () => {
    const text = Array.from({ length: 500 }, (_, index) => `${index}`).join(' ')
    const [long, next] = await read(...Buffer.from(`${T}Z ${text}\n${T}Z next`).toString('latin1'))
    expect([long?.text, next?.text]).toEqual([text, 'next'])
  })

  it('without a time have that of the line before', async () => {
    const [first, second] = await read(`${T}.1Z a\nno time\r\n`)
    expect(second).toEqual({ time: '', at: first?.at, text: 'no time', truncated: false })
    for (const text of ['2026-99-99T10:00:00Z odd', '9999-12-31T23:59:59-05:00 after the last year'])
      expect((await read(`${text}\n`))[0]).toMatchObject({ time: '', text })
  })

  it('are cut at their longest length, and the next line is whole', async () => {
    const pieces = Array.from({ length: 40 }, () => 'x'.repeat(10_000))
    const [long, short] = await read(`${T}Z `, ...pieces, `\n${T}Z short\r\n`)
    expect(long?.truncated).toBe(true)
    expect(long?.text.length).toBe(LONGEST_LINE - `${T}Z `.length)
    expect(short).toMatchObject({ text: 'short', truncated: false })
    const exact = 'y'.repeat(LONGEST_LINE)
    expect((await read(exact, '\n'))[0]).toMatchObject({ text: exact, truncated: false })
  })

  it('are not read ahead', async () => {
    let taken = 0
    const endless = (async function* () {
      for (;;) {
        taken += 1
        yield Buffer.from(`${T}Z a\n${T}Z b\n`)
      }
    })()
    const lines = logLines(endless)
    await lines.next()
    await lines.next()
    expect(taken).toBe(1)
    await lines.return()
    expect((await endless.next()).done).toBe(true)
  })

  it('replace what is no UTF-8', async () => {
    expect((await read(Buffer.from([0x61, 0xff, 0x0a])))[0]?.text).toBe('a\ufffd')
  })
})
