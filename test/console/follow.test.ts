import { expect, it } from 'vitest'
import { type Followed, follow } from '../../console/live/follow.js'
import { Pause } from '../../console/live/retry.js'
import { settled, TestClock } from './test-clock.js'

/** A stream that fails at once each time, and when it was read. */
function failing(clock: TestClock, next: ReturnType<Followed['broken']> = 'again', answers = () => false) {
  const readAt: number[] = []
  const problems: Error[] = []
  const stream: Followed = {
    async read(_, answered) {
      readAt.push(clock.time - 1_000)
      if (answers()) answered()
      throw new Error('cut')
    },
    broken(problem) {
      problems.push(problem)
      return next
    },
  }
  return { stream, readAt, problems }
}

it('reads a stream that fails again after 1, 2, 5, 10 and then every 30 seconds', async () => {
  const clock = new TestClock()
  const { stream, readAt } = failing(clock)
  void follow(stream, new AbortController().signal, { time: clock })
  await clock.pass(78_000)
  expect(readAt).toEqual([0, 1_000, 3_000, 8_000, 18_000, 48_000, 78_000])
})

it('counts a failure after a message as the first', async () => {
  const clock = new TestClock()
  const { stream, readAt } = failing(clock, 'again', () => true)
  void follow(stream, new AbortController().signal, { time: clock })
  await clock.pass(3_000)
  expect(readAt).toEqual([0, 1_000, 2_000, 3_000])
})

it('reads a stream again that ended, and reports a failed connection', async () => {
  const clock = new TestClock()
  const problems: Error[] = []
  let reads = 0
  const stream: Followed = {
    read: async () => {
      reads += 1
      return 'again'
    },
    broken: problem => {
      problems.push(problem)
      return 'again'
    },
  }
  void follow(stream, new AbortController().signal, { time: clock })
  await clock.pass(1_000)
  expect([reads, problems.map(String)]).toEqual([2, Array(2).fill('ConnectionError: the stream has ended')])
})

it('reports what was thrown, also where that is no Error', async () => {
  const clock = new TestClock()
  const problems: unknown[] = []
  const stream: Followed = {
    read: () => Promise.reject('cut'),
    broken: problem => {
      problems.push(problem)
      return 'over'
    },
  }
  await follow(stream, new AbortController().signal, { time: clock })
  expect(problems).toEqual([new Error('cut')])
})

it.each(['read', 'broken'] as const)('stops where `%s` says that the stream is over', async by => {
  const clock = new TestClock()
  const { stream, readAt } = failing(clock, 'over')
  const over = { ...stream, ...(by === 'read' && { read: async () => 'over' as const }) }
  await follow(over, new AbortController().signal, { time: clock })
  expect([readAt.length, clock.timers]).toEqual([by === 'read' ? 0 : 1, 0])
})

it('waits without a timer after `wait`, until the pause is ended', async () => {
  const clock = new TestClock()
  const pause = new Pause(clock)
  const { stream, readAt } = failing(clock, 'wait')
  void follow(stream, new AbortController().signal, { pause })
  await clock.pass(3_600_000)
  expect([readAt.length, clock.timers]).toEqual([1, 0])
  pause.end()
  await settled()
  expect(readAt.length).toBe(2)
})

it('reports no failure after its signal aborted', async () => {
  const clock = new TestClock()
  const run = new AbortController()
  const problems: Error[] = []
  const stream: Followed = {
    read: signal =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    broken: problem => {
      problems.push(problem)
      return 'again'
    },
  }
  const over = follow(stream, run.signal, { time: clock })
  run.abort()
  await over
  expect([problems, clock.timers]).toEqual([[], 0])
})
