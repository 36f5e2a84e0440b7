import { spawnSync } from 'node:child_process'
import { setMaxListeners } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { HELD_MS, locked } from '../../../cli/login/login-lock.js'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-'))
  path = join(folder, 'a.lock')
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true })
})

const never = new AbortController().signal
setMaxListeners(0, never)
/** The number of a process that has ended. */
const deadPid = () => spawnSync(process.execPath, ['-e', '']).pid
const left = (fields: object, number = 1) =>
  writeFileSync(
    `${path}.${number}`,
    JSON.stringify({ pid: process.pid, host: hostname(), until: Date.now() + HELD_MS, ...fields }),
  )

describe('a lock', () => {
  it('is held by one at a time, whoever waits', async () => {
    let holders = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++holders)
      await new Promise(resolve => setImmediate(resolve))
      holders--
    }
    await Promise.all(Array.from({ length: 20 }, () => locked(path, work, never)))
    expect([holders, most]).toEqual([0, 1])
  })

  it('is given back when the work fails, with its error', async () => {
    const failing = locked(path, () => Promise.reject(new Error('failed')), never)
    await expect(failing).rejects.toThrow('failed')
    expect(await locked(path, async () => 'done', never)).toBe('done')
  })

  it('leaves one small file, however often it was taken', async () => {
    for (let round = 0; round < 5; round++) await locked(path, async () => undefined, never)
    expect(readdirSync(folder)).toEqual(['a.lock.5'])
  })

  it.each([
    ['whose process has died', () => left({ pid: deadPid() })],
    ['that was held for too long', () => left({ until: Date.now() - 1 })],
    ['of another machine that was held for too long', () => left({ host: 'other', until: Date.now() - 1 })],
    ['that a full disk has cut', () => writeFileSync(`${path}.1`, '')],
  ])('%s is taken over', async (_which, leave) => {
    leave()
    expect(await locked(path, async () => readdirSync(folder), never)).toEqual(['a.lock.2'])
  })

  it.each([
    ['of a living process', {}],
    ['of another machine, whose processes nobody can see', { host: 'other', pid: deadPid() }],
  ])('%s is not taken over, and waiting ends with the signal', async (_which, fields) => {
    left(fields)
    const ending = new AbortController()
    const work = vi.fn()
    const waiting = locked(path, work, ending.signal)
    setTimeout(() => ending.abort(), 100)
    await expect(waiting).rejects.toThrow()
    expect(work).not.toHaveBeenCalled()
    expect(readdirSync(folder)).toEqual(['a.lock.1'])
  })

  it('that others hold for too long is given up, and says which file to delete', async () => {
    left({})
    vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValue(90_001)
    onTestFinished(() => void vi.restoreAllMocks())
    await expect(locked(path, async () => undefined, never)).rejects.toThrow(
      `another kairship holds ${path}.1: if there is none, delete that file`,
    )
  })

  it('that was left is taken over by exactly one of those who wait', async () => {
    left({ pid: deadPid() })
    const numbers: string[] = []
    const work = async () =>
      void numbers.push(...readdirSync(folder).filter(name => /^a\.lock\.\d+$/.test(name)))
    await Promise.all(Array.from({ length: 10 }, () => locked(path, work, never)))
    expect(numbers).toEqual(Array.from({ length: 10 }, (_, index) => `a.lock.${index + 2}`))
  })

  it('is refused in words where it cannot be written', async () => {
    writeFileSync(join(folder, 'file'), '')
    const refused = locked(join(folder, 'file', 'logins', 'a.lock'), async () => undefined, never)
    await expect(refused).rejects.toMatchObject({
      ...{ name: 'CommandError', message: expect.stringContaining('a.lock cannot be used: ENOTDIR') },
    })
  })

  it('that was taken over meanwhile keeps nothing of what was done from who did it', async () => {
    const work = async () => {
      rmSync(`${path}.1`)
      return 'done'
    }
    expect(await locked(path, work, never)).toBe('done')
  })

  it('is readable by its owner only, and says who has it', async () => {
    const holder = await locked(path, async () => JSON.parse(readFileSync(`${path}.1`, 'utf8')), never)
    expect(holder).toMatchObject({ pid: process.pid, host: hostname() })
  })
})
