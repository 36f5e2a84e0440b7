import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AnswerMemory, type AnswerReading } from '../../../http/limits/answer-memory.js'
import type { ObjectRequests } from '../../../http/objects/requests/object-requests.js'
import { watchObjects } from '../../../http/objects/watch/watch-objects.js'

const MIB = 1 << 20
const type = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true }
const items = ['a', 'b', 'c'].map(name => ({ metadata: { name, uid: name, resourceVersion: '1' } }))
const list = { kind: 'ConfigMapList', metadata: { resourceVersion: '1' }, items }

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** The watch of a list that takes 2 MiB, of an instance where nothing changes. */
function follow() {
  const memory = new AnswerMemory()
  const requests = {
    options: { parts: { now: () => 0 }, pause: async () => undefined },
    async send(_: unknown, __: unknown, ___: unknown, { reading }: { reading: AnswerReading }) {
      await reading.add(2 * MIB)
      return { status: 200, headers: [], body: Buffer.from(JSON.stringify(list)) }
    },
    async *stream(_: unknown, __: unknown, ___: unknown, opened: () => void) {
      opened()
      yield Buffer.from(`${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'd' } } })}\n`)
      await new Promise(() => undefined)
    },
  } as unknown as ObjectRequests
  const call = {
    caller: { user: 'ann', groups: [], extra: {} },
    signal: new AbortController().signal,
    answers: memory.account('ann', true),
    answered: () => undefined,
  }
  const query = { page: 1, pageSize: 0 }
  const events = watchObjects({ requests, call, place: { instance: 'north' }, type, query })
  const next = async (count: number) => {
    const told: string[] = []
    for (let n = 0; n < count; n += 1) told.push((await events.next()).value?.type ?? 'end')
    return told
  }
  return { events, next, taken: () => memory.slots.map(({ load }) => load.taken) }
}

describe('the list that a watch begins with', () => {
  it('gives its memory back when its reader does not take it within 60 s, and ends then with what to do', async () => {
    const { events, next, taken } = follow()
    expect(await next(2)).toEqual(['RESET', 'ADDED'])
    await vi.advanceTimersByTimeAsync(59_999)
    expect(taken()).toEqual([1, 1, 0])
    await vi.advanceTimersByTimeAsync(1)
    expect(taken()).toEqual([0, 0, 0])
    await expect(events.next()).rejects.toThrow(
      'the list was not read within 60 s: read it faster, or watch less at once',
    )
  })

  it('gives its memory back when its last object was taken, and the watch then goes on for as long as it likes', async () => {
    const { next, taken } = follow()
    expect(await next(4)).toEqual(['RESET', 'ADDED', 'ADDED', 'ADDED'])
    expect(taken()).toEqual([1, 1, 0])
    expect(await next(1)).toEqual(['BOOKMARK'])
    expect(taken()).toEqual([0, 0, 0])
    await vi.advanceTimersByTimeAsync(120_000)
    expect(await next(1)).toEqual(['ADDED'])
  })

  it('gives its memory back when its reader leaves, and leaves no timer', async () => {
    const { events, next, taken } = follow()
    await next(2)
    await events.return()
    expect(taken()).toEqual([0, 0, 0])
    expect(vi.getTimerCount()).toBe(0)
  })
})
