import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { waitFor } from './patience.js'
import { EngineProcess } from './real/engine-process.js'

describe('an engine of the real stack', () => {
  let folder: string
  let engine: EngineProcess
  const told = vi.spyOn(console, 'error')
  const startOf = async (
    revive: boolean,
    script = 'echo panic: too much; exec sleep 600',
  ): Promise<number> => {
    engine = new EngineProcess({
      name: 'sleeper',
      command: '/bin/sh',
      args: ['-c', script],
      log: join(folder, 'sleeper.log'),
      isReady: async () => readFileSync(join(folder, 'sleeper.log'), 'utf8').includes('\npanic'),
      revive,
    })
    await engine.start()
    return engine.pid ?? 0
  }
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kairship-engine-'))
    told.mockReset().mockImplementation(() => undefined)
  })
  afterEach(async () => {
    await engine.stop()
    rmSync(folder, { recursive: true })
  })

  it('restarts when it exits by itself, and its last output is reported', async () => {
    const first = await startOf(true)
    process.kill(first, 'SIGKILL')
    await waitFor(() => expect([undefined, first]).not.toContain(engine.pid))
    expect(told.mock.calls.flat().join('\n')).toMatch(
      /sleeper does not run: it ended with SIGKILL[\s\S]*panic: too much/,
    )
  })

  const exitsAt = (starts: number): string => {
    const count = join(folder, 'starts')
    return `echo >> ${count}; [ $(wc -l < ${count}) -gt ${starts} ] || { echo no etcd; exit 255; }; echo panic; exec sleep 600`
  }

  it('starts again when it exits before it serves, and its last output is reported', async () => {
    expect(await startOf(true, exitsAt(2))).toBeGreaterThan(0)
    expect(told.mock.calls.flat().join('\n')).toMatch(
      /sleeper does not run: it ended with code 255[\s\S]*no etcd/,
    )
  })

  it.each([
    [true, 3],
    [false, 1],
  ])(
    'is not up when it exits each time before it serves (restarts: %s, starts: %i)',
    async (revive, starts) => {
      await expect(startOf(revive, exitsAt(9))).rejects.toThrow(/it ended with code 255[\s\S]*no etcd/)
      expect(readFileSync(join(folder, 'starts'), 'utf8')).toHaveLength(starts)
    },
  )

  it.each(['stop', 'crash'] as const)(
    'is not started again when it is meant to exit while it starts (%s)',
    async end => {
      const started = startOf(true, 'exec sleep 600')
      await waitFor(() => expect(engine.pid).toBeDefined())
      await engine[end]()
      await expect(started).rejects.toThrow(/it ended with SIG/)
      expect(told).not.toHaveBeenCalled()
    },
  )

  it.each(['stop', 'crash'] as const)('stays down when it is meant to exit (%s)', async end => {
    await startOf(true)
    await engine[end]()
    await new Promise(resolve => setImmediate(resolve))
    expect(engine.pid).toBeUndefined()
    expect(told).not.toHaveBeenCalled()
  })

  it('stays down when no restart was requested', async () => {
    const pid = await startOf(false)
    process.kill(pid, 'SIGKILL')
    await waitFor(() => expect(engine.pid).toBeUndefined())
    expect(told).not.toHaveBeenCalled()
  })
})
