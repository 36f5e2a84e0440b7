import type { Message } from '@bufbuild/protobuf'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Call } from '../../../http/call/call.js'
import { notFound, unavailable } from '../../../http/errors/failure.js'
import { InstanceService } from '../../../proto/gen/kairship/instance_pb.js'
import { Code } from '../../../transcoding/code.js'
import { dispatching, silentSource } from './dispatching.js'

const { listInstances } = InstanceService.method

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a stream', () => {
  it('that its handler refuses gives its place back', async () => {
    const { stream, recorded } = dispatching(() => {
      throw notFound('there is no such thing')
    })
    for (let time = 0; time < 3; time += 1) await expect(stream()).rejects.toThrow('there is no such thing')
    expect(recorded()).toEqual(['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'])
  })

  it.each<[string, (messages: AsyncIterableIterator<Message>) => Promise<unknown>, string]>([
    ['has ended', async messages => messages.next(), 'OK'],
    ['was left by its caller', async messages => messages.return?.(), 'CANCELLED'],
  ])('that %s gives its place back, and is recorded once', async (_, end, code) => {
    const { stream, recorded } = dispatching(async function* () {
      yield* []
    })
    const messages = await stream()
    await expect(stream()).rejects.toMatchObject({ code: Code.RESOURCE_EXHAUSTED })
    await end(messages)
    await messages.return?.()
    await (await stream()).return?.()
    expect(recorded().filter(one => one === code)).toHaveLength(code === 'CANCELLED' ? 2 : 1)
    expect(recorded()).toHaveLength(3)
  })

  it('that failed is recorded once, as what it failed with', async () => {
    const { stream, recorded } = dispatching(() => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(unavailable('gone')) }),
    }))
    const messages = await stream()
    await expect(messages.next()).rejects.toThrow('gone')
    await messages.return?.()
    expect(recorded()).toEqual(['UNAVAILABLE'])
  })

  it('ends after half an hour, for its caller to resume, and its source is closed', async () => {
    const { source, iterable } = silentSource()
    const { stream } = dispatching(() => iterable)
    const next = (await stream()).next()
    const ended = vi.fn()
    next.catch(ended)
    await vi.advanceTimersByTimeAsync(30 * 60_000 - 1)
    expect(ended).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await expect(next).rejects.toThrow('the stream has reached its longest life')
    expect(source.isClosed).toBe(true)
  })

  it('ends when its server stops, and its source is closed', async () => {
    const { source, iterable } = silentSource()
    const { stream, stopping } = dispatching(() => iterable)
    const next = (await stream()).next()
    stopping.abort(unavailable('the server stops'))
    await expect(next).rejects.toThrow('the server stops')
    expect(source.isClosed).toBe(true)
  })
})

it.each([
  ['its caller waits for longer', 3_600_000, 60_000],
  ['its caller names no time', undefined, 60_000],
  ['its caller waits for less', 5_000, 5_000],
])('a call that is not answered ends in time where %s', async (_, timeoutMs, endsAfterMs) => {
  const { unary, recorded } = dispatching(() => new Promise(() => undefined), listInstances)
  const answer = unary({ timeoutMs })
  answer.catch(() => undefined)
  await vi.advanceTimersByTimeAsync(endsAfterMs - 1)
  expect(recorded()).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  await expect(answer).rejects.toMatchObject({ code: Code.DEADLINE_EXCEEDED })
  expect(recorded()).toEqual(['DEADLINE_EXCEEDED'])
})

describe('what a unary call read of instances', () => {
  const large = (call: Call) => call.answers.reading('north').add(2 << 20)
  const taken = ({ answers }: ReturnType<typeof dispatching>) => answers.slots[0]?.load.taken

  /** The way of an answer, which is over when it is cut. */
  const delivering = () => {
    let over: () => void = () => undefined
    const end = () => over()
    const whenOver = (then: () => void) => {
      over = then
    }
    const cut = vi.fn(end)
    return { delivery: { whenOver, cut }, over: end }
  }

  it('is held until its answer was taken', async () => {
    const run = dispatching(async call => {
      await large(call)
      return { items: [] }
    }, listInstances)
    const { delivery, over } = delivering()
    const answered = run.unary({ delivery })
    await vi.advanceTimersByTimeAsync(0)
    await answered
    expect(taken(run)).toBe(1)
    over()
    expect(taken(run)).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is held for a minute where its answer is not taken, which is then cut', async () => {
    const run = dispatching(async call => {
      await large(call)
      return { items: [] }
    }, listInstances)
    const { delivery } = delivering()
    const answered = run.unary({ delivery })
    await vi.advanceTimersByTimeAsync(0)
    await answered
    await vi.advanceTimersByTimeAsync(59_999)
    expect([taken(run), delivery.cut.mock.calls.length]).toEqual([1, 0])
    await vi.advanceTimersByTimeAsync(1)
    expect([taken(run), delivery.cut.mock.calls.length]).toEqual([0, 1])
  })

  it('is given back with its answer where the way to its caller is not known', async () => {
    const run = dispatching(async call => {
      await large(call)
      return { items: [] }
    }, listInstances)
    const answered = run.unary()
    await vi.advanceTimersByTimeAsync(0)
    await answered
    expect(taken(run)).toBe(0)
  })

  it('cuts no answer that was made of little, however slowly it is taken', async () => {
    const run = dispatching(async call => {
      await call.answers.reading('north').add(1 << 10)
      return { items: [] }
    }, listInstances)
    const { delivery } = delivering()
    const answered = run.unary({ delivery })
    await vi.advanceTimersByTimeAsync(0)
    await answered
    expect(vi.getTimerCount()).toBe(0)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(delivery.cut).not.toHaveBeenCalled()
  })

  it('is given back where it fails, or its deadline passes', async () => {
    const failing = dispatching(async call => {
      await large(call)
      throw new Error('no')
    }, listInstances)
    await expect(failing.unary()).rejects.toThrow()
    expect(taken(failing)).toBe(0)
    const hanging = dispatching(async call => {
      await large(call)
      return new Promise(() => undefined)
    }, listInstances)
    const late = expect(hanging.unary({ timeoutMs: 500 })).rejects.toThrow('the deadline of 500 ms passed')
    await vi.advanceTimersByTimeAsync(0)
    expect(taken(hanging)).toBe(1)
    await vi.advanceTimersByTimeAsync(500)
    await late
    expect(taken(hanging)).toBe(0)
  })
})
