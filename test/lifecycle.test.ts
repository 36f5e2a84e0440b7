import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { aborted } from '../cli/program/interruption.js'
import { Lifecycle, StoppingError } from '../lifecycle.js'
import type { Log } from '../ports/log.js'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

function watched() {
  const events: string[] = []
  const note = (_fields: object, message: string) => events.push(`log: ${message}`)
  const log: Log = { debug: () => undefined, info: note, warn: note, error: note, child: () => log }
  const interrupt = new AbortController()
  const process = Object.assign(new EventEmitter(), {
    exit: (code: number) => void events.push(`exit ${code}`),
  })
  const lifecycle = new Lifecycle(log, interrupt.signal, process, { partMs: 1_000, failedMs: 2_500 })
  const part = (name: string) =>
    lifecycle.start(
      name,
      () => {
        events.push(`+${name}`)
        return name
      },
      () => events.push(`-${name}`),
    )
  return { events, interrupt, process, lifecycle, part }
}

describe('the parts of a process', () => {
  it('stop in the reverse of the order they started in', async () => {
    const { events, lifecycle, part } = watched()
    for (const name of ['health', 'fleet', 'api']) expect(await part(name)).toBe(name)
    await lifecycle.stop()
    expect(events).toEqual(['+health', '+fleet', '+api', '-api', '-fleet', '-health'])
  })

  it('stop once, even when stop is called several times', async () => {
    const { events, lifecycle, part } = watched()
    await part('a')
    await Promise.all([lifecycle.stop(), lifecycle.stop()])
    await lifecycle.stop()
    expect(events).toEqual(['+a', '-a'])
  })

  it('do not start while the process is stopping', async () => {
    const { events, lifecycle, part } = watched()
    await lifecycle.stop()
    await expect(part('a')).rejects.toThrow(StoppingError)
    expect(events).toEqual([])
  })

  it('that are still starting are stopped when they have started', async () => {
    const { events, lifecycle } = watched()
    let begun: () => void = () => expect.unreachable()
    const starting = lifecycle.start(
      'slow',
      () => new Promise<void>(resolve => (begun = resolve)),
      () => events.push('-slow'),
    )
    const stopped = lifecycle.stop()
    expect(events).toEqual([])
    begun()
    await Promise.all([starting, stopped])
    expect(events).toEqual(['-slow'])
  })

  it('that fail to start report the error to their caller, and the others still stop', async () => {
    const { events, lifecycle, part } = watched()
    await part('a')
    const failing = lifecycle.start(
      'b',
      () => Promise.reject(new Error('address in use')),
      () => events.push('-b'),
    )
    await expect(failing).rejects.toThrow('address in use')
    await lifecycle.stop()
    expect(events).toEqual(['+a', '-a'])
  })

  it('that fail to stop do not keep the others from stopping', async () => {
    const { events, lifecycle, part } = watched()
    await part('a')
    await lifecycle.start(
      'b',
      () => undefined,
      () => Promise.reject(new Error('no')),
    )
    await lifecycle.stop()
    expect(events).toEqual(['+a', 'log: could not be stopped', '-a'])
  })

  it('that do not stop in time are abandoned', async () => {
    const { events, lifecycle, part } = watched()
    await part('a')
    await lifecycle.start(
      'b',
      () => undefined,
      () => new Promise(() => undefined),
    )
    const stopped = lifecycle.stop()
    await vi.advanceTimersByTimeAsync(999)
    expect(events).toEqual(['+a'])
    await vi.advanceTimersByTimeAsync(1)
    await stopped
    expect(events).toEqual(['+a', 'log: did not stop in time', '-a'])
  })

  it('that are still starting at an interruption are not awaited, and stop once they have started', async () => {
    const { events, interrupt, lifecycle, part } = watched()
    let begun: () => void = () => expect.unreachable()
    const slow = () =>
      new Promise<void>(resolve => {
        begun = resolve
        interrupt.abort()
      })
    const exitCode = lifecycle.around(async () => {
      await part('a')
      await lifecycle
        .start('slow', slow, () => events.push('-slow'))
        .catch((error: unknown) => {
          begun()
          throw error
        })
      return expect.unreachable()
    })
    expect(await exitCode).toBe(0)
    expect(events).toEqual(['+a', '-slow', '-a'])
  })

  it('do not start after an interruption', async () => {
    const { events, interrupt, part } = watched()
    interrupt.abort()
    await expect(part('a')).rejects.toThrow(StoppingError)
    expect(events).toEqual([])
  })

  describe('after an unhandled error', () => {
    const fatal = 'log: an error that nothing handles: this process stops'

    it.each<[string, (of: ReturnType<typeof watched>) => unknown]>([
      ['by a part', ({ lifecycle }) => lifecycle.fail(new Error('a defect'))],
      ['by Node', ({ process }) => process.emit('uncaughtException', new Error('a defect'))],
    ])('%s: the controllers stop first, then all, and the exit code is 1', async (_, fail) => {
      const all = watched()
      const { events, lifecycle, part } = all
      const exitCode = lifecycle.around(async () => {
        await part('host')
        await lifecycle.start(
          'controllers',
          () => undefined,
          () => events.push('-controllers'),
          { firstOnFailure: true },
        )
        await part('api')
        fail(all)
        await aborted(lifecycle.stopping)
        return 0
      })
      expect(await exitCode).toBe(1)
      expect(events).toEqual(['+host', '+api', fatal, '-controllers', '-api', '-host'])
      expect(all.process.listenerCount('uncaughtException')).toBe(0)
    })

    it('during the start of a part: the start is given up, and the exit code is 1', async () => {
      const { events, lifecycle, part } = watched()
      let begun: () => void = () => undefined
      const exitCode = lifecycle.around(async () => {
        await part('a')
        await lifecycle.start(
          'slow',
          () => {
            lifecycle.fail(new Error('a defect'))
            return new Promise<void>(resolve => (begun = resolve))
          },
          () => undefined,
        )
        return 0
      })
      await vi.advanceTimersByTimeAsync(0)
      begun()
      expect(await exitCode).toBe(1)
      expect(events).toEqual(['+a', fatal, '-a'])
    })

    it('with parts that do not stop: the process exits when its stop time is over', async () => {
      const { events, lifecycle } = watched()
      const never = () => new Promise<void>(() => undefined)
      void lifecycle.around(async () => {
        for (const name of ['a', 'b', 'c']) await lifecycle.start(name, () => undefined, never)
        lifecycle.fail(new Error('a defect'))
        return never().then(() => 0)
      })
      await vi.advanceTimersByTimeAsync(2_499)
      expect(events).not.toContain('exit 1')
      await vi.advanceTimersByTimeAsync(1)
      expect(events).toContain('exit 1')
    })

    it('that repeats: the process exits once, when the stop time after the first error is over', async () => {
      const { events, lifecycle } = watched()
      const never = () => new Promise<void>(() => undefined)
      void lifecycle.around(async () => {
        await lifecycle.start('a', () => undefined, never)
        for (let n = 0; n < 3; n++) lifecycle.fail(new Error('a defect'))
        return never().then(() => 0)
      })
      await vi.advanceTimersByTimeAsync(10_000)
      expect(events.filter(event => event === 'exit 1')).toHaveLength(1)
    })

    it('that repeats: the log is not flooded', () => {
      const { events, lifecycle } = watched()
      for (let n = 0; n < 1_000; n++) lifecycle.fail(new Error('a defect'))
      expect(events).toHaveLength(10)
    })
  })

  it('stop when the work completes or fails', async () => {
    const well = watched()
    expect(await well.lifecycle.around(() => well.part('a').then(() => 3))).toBe(3)
    expect(well.events).toEqual(['+a', '-a'])
    const badly = watched()
    const defect = new TypeError('no')
    await expect(
      badly.lifecycle.around(() => badly.part('a').then(() => Promise.reject(defect))),
    ).rejects.toBe(defect)
    expect(badly.events).toEqual(['+a', '-a'])
  })
})
