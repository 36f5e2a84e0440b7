import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openAuditLog } from '../../../cli/log/audit-log.js'
import type { AuditLog } from '../../../ports/audit-log.js'
import { fakeMeter } from '../../http/fakes/api.js'
import { fakeLog } from '../../http/fakes/log.js'
import { waitFor } from '../../patience.js'

let folder: string
const opened: AuditLog[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-'))
})
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
  await rm(folder, { recursive: true })
})

async function opening(auditLogPath: string, stdout?: Writable) {
  const { meter, counts } = fakeMeter()
  const log = fakeLog()
  const config = { auditLogPath, auditLogMaxSize: 1, auditLogMaxBackup: 2 }
  const auditLog = await openAuditLog({ config, log, meter, ...(stdout && { stdout }) })
  opened.push(auditLog)
  const lost = () => counts.get('kairship_audit_events_lost_total{}') ?? 0
  return { auditLog, log, lost }
}
const linesOf = async (path: string) => (await readFile(path, 'utf8')).split('\n').filter(line => line !== '')

describe('an audit log in a file', () => {
  it('has a line of JSON for each event when it is closed, behind those of an earlier run', async () => {
    const path = join(folder, 'new', 'audit.log')
    for (const run of [1, 2]) {
      const { auditLog } = await opening(path)
      auditLog.write({ run, n: 1 })
      auditLog.write({ run, n: 2 })
      await auditLog.close()
    }
    expect((await linesOf(path)).map(line => JSON.parse(line))).toEqual([
      { run: 1, n: 1 },
      { run: 1, n: 2 },
      { run: 2, n: 1 },
      { run: 2, n: 2 },
    ])
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(join(folder, 'new'))).mode & 0o777).toBe(0o700)
  })

  it('is begun anew beyond its size, keeps as many files as are wanted, and breaks no line', async () => {
    const path = join(folder, 'audit.log')
    const { auditLog, lost } = await opening(path)
    const text = 'x'.repeat(1_000)
    for (let n = 0; n < 4_500; n++) auditLog.write({ n, text })
    await auditLog.close()
    expect((await readdir(folder)).sort()).toEqual(['audit.log', 'audit.log.1', 'audit.log.2'])
    expect(lost()).toBe(0)
    const numbers: number[] = []
    for (const name of ['audit.log.2', 'audit.log.1', 'audit.log'])
      for (const line of await linesOf(join(folder, name))) numbers.push(JSON.parse(line).n)
    expect(numbers.at(-1)).toBe(4_499)
    expect(numbers).toEqual(Array.from(numbers, (_, index) => numbers[0]! + index))
  })

  it('begins a line of its own behind one that the end of an earlier run has cut', async () => {
    const path = join(folder, 'audit.log')
    await writeFile(path, '{"n":1}\n{"n":2,"te')
    const { auditLog } = await opening(path)
    auditLog.write({ n: 3 })
    await auditLog.close()
    expect(await linesOf(path)).toEqual(['{"n":1}', '{"n":2,"te', '{"n":3}'])
  })

  it('counts as lost each event that is in no file, also those that waited for a write that failed', async () => {
    const path = join(folder, 'audit.log')
    for (const one of ['audit.log.1', 'audit.log.2'])
      await mkdir(join(folder, one, 'taken'), { recursive: true })
    const { auditLog, lost, log } = await opening(path)
    const text = 'x'.repeat(1_000)
    for (let n = 0; n < 3_000; n++) auditLog.write({ n, text })
    await waitFor(() => expect(log.lines).not.toEqual([]))
    auditLog.write({ n: 3_000 })
    await auditLog.close()
    // Those that were written together with one that was not count, too.
    expect((await linesOf(path)).length + lost()).toBeGreaterThanOrEqual(3_001)
    expect(lost()).toBeLessThanOrEqual(3_001)
  })

  it('that cannot be opened is refused by the name of its setting', async () => {
    await mkdir(join(folder, 'taken'))
    await expect(opening(join(folder, 'taken'))).rejects.toThrow(/^auditLogPath cannot be written: /)
  })

  it('holds no more than 16 MiB for a disk that is slow', async () => {
    const { auditLog, lost } = await opening(join(folder, 'audit.log'))
    const text = 'x'.repeat(2 ** 20)
    for (let n = 0; n < 20; n++) auditLog.write({ text })
    expect(lost()).toBeGreaterThanOrEqual(2)
    expect(lost()).toBeLessThan(5)
  })

  it('is written when it is closed, also for who closes it once more', async () => {
    const path = join(folder, 'audit.log')
    const { auditLog } = await opening(path)
    for (let n = 0; n < 900; n++) auditLog.write({ n, text: 'x'.repeat(1_000) })
    const first = auditLog.close()
    await auditLog.close()
    expect(await linesOf(path)).toHaveLength(900)
    await first
  })

  it('counts what is written after it was closed as lost, and throws nothing', async () => {
    const { auditLog, lost } = await opening(join(folder, 'audit.log'))
    await auditLog.close()
    auditLog.write({ late: true })
    expect(lost()).toBe(1)
  })
})

describe('an audit log on standard output', () => {
  const sink = (write: (text: string, done: (error?: Error) => void) => void) =>
    new Writable({ write: (chunk, _, done) => write(String(chunk), done) })

  it('writes an event as a line', async () => {
    const lines: string[] = []
    const stdout = sink((text, done) => {
      lines.push(text)
      done()
    })
    const { auditLog } = await opening('-', stdout)
    auditLog.write({ a: 1 })
    expect(lines).toEqual(['{"a":1}\n'])
    await auditLog.close()
    expect(stdout.listenerCount('error')).toBe(0)
  })

  it('counts the events that a reader who went away did not get, and says so in the log once', async () => {
    const stdout = sink((_, done) => done(new Error('EPIPE')))
    const { auditLog, lost, log } = await opening('-', stdout)
    for (let n = 0; n < 3; n++) {
      auditLog.write({ n })
      await waitFor(() => expect(stdout.destroyed).toBe(true))
    }
    expect(lost()).toBe(3)
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
      ['error', 'audit events are lost: the audit log cannot be written fast enough or at all'],
      ['error', 'the audit log cannot be written'],
      ['error', 'audit events are lost: the audit log cannot be written fast enough or at all'],
    ])
  })

  it('holds no more than 16 MiB for a reader who does not read', async () => {
    const stdout = sink(() => undefined)
    const { auditLog, lost } = await opening('-', stdout)
    const text = 'x'.repeat(2 ** 20)
    for (let n = 0; n < 20; n++) auditLog.write({ text })
    expect(lost()).toBe(4)
    expect(stdout.writableLength).toBeLessThan(18 * 2 ** 20)
  })
})

it('an audit log that is to be none takes events and writes nothing', async () => {
  const { auditLog, lost } = await opening('none')
  auditLog.write({ a: 1 })
  expect([await readdir(folder), lost()]).toEqual([[], 0])
})
