import { create, type Message } from '@bufbuild/protobuf'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AnsweredFrom } from '../../http/call/answered-from.js'
import type { Call } from '../../http/call/call.js'
import { notFound } from '../../http/errors/failure.js'
import type { Action } from '../../http/identity/authorize.js'
import { InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import { Code } from '../../transcoding/code.js'
import { dispatching, silentSource } from './dispatch/dispatching.js'

const { listInstances, watchInstances } = InstanceService.method

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const large = (call: Call) => call.answers.reading('north').add(2 << 20)
const nothing = async () => ({ items: [] })
const never = () => new Promise<never>(() => undefined)

describe('a call', () => {
  it('without a permission in its proto is refused to everyone, also to who may everything', async () => {
    const handle = vi.fn(nothing)
    const authorizer = { decide: () => ({ allowed: true, reason: '' }) }
    const { unary } = dispatching(handle, listInstances, { permission: null, authorizer })
    await expect(unary()).rejects.toMatchObject({ code: Code.PERMISSION_DENIED })
    expect(handle).not.toHaveBeenCalled()
  })

  it('that shows a part of a list asks for each name whether its caller may get it', async () => {
    const asked: Action[] = []
    const decide = (_: unknown, action: Action) => {
      asked.push(action)
      return { allowed: 'name' in action && action.name === 'north', reason: '' }
    }
    const seen: boolean[] = []
    const handle = async (call: Call) => {
      for (const name of ['north', 'south']) seen.push(await call.maySee(name))
      return { items: [] }
    }
    const permission = { verb: 'list', resource: 'instances', filtered: true }
    await dispatching(handle, listInstances, { permission, authorizer: { decide } }).unary()
    expect(seen).toEqual([true, false])
    expect(asked).toEqual([
      { verb: 'list', resource: 'instances' },
      { verb: 'get', resource: 'instances', name: 'north' },
      { verb: 'get', resource: 'instances', name: 'south' },
    ])
  })

  it('that lists asks once for the right to all, and a stream again for each name, because it outlives rights', async () => {
    const all = { verb: 'list', resource: 'instances' }
    const north = { verb: 'get', resource: 'instances', name: 'north' }
    for (const [method, sees, asked] of [
      [listInstances, [true, true], [all]],
      [watchInstances, [true, false], [all, all, all, north]],
    ] as const) {
      let hasRight = true
      const actions: Action[] = []
      const decide = (_: unknown, action: Action) => {
        actions.push(action)
        return { allowed: hasRight, reason: '' }
      }
      const seen: boolean[] = []
      const look = async (call: Call) => {
        seen.push(await call.maySee('north'))
        hasRight = false
        seen.push(await call.maySee('north'))
        return silentSource().iterable
      }
      const run = dispatching(look, method, {
        permission: { ...all, filtered: true },
        authorizer: { decide },
      })
      await (method === listInstances ? run.unary() : run.stream())
      expect(seen).toEqual(sees)
      expect(actions).toEqual(asked)
    }
  })

  it.each(['unary', 'stream'] as const)('(%s) says once where its answer is from', async kind => {
    const answered = vi.fn()
    const from = (reason: string): AnsweredFrom => ({ source: 'karmada', reason })
    const handle = (call: Call) => {
      call.answered(from('first'))
      call.answered(from('second'))
      return kind === 'unary' ? nothing() : silentSource().iterable
    }
    const run = dispatching(handle, kind === 'unary' ? listInstances : watchInstances)
    await run[kind]({ answered })
    expect(answered.mock.calls).toEqual([[from('first')]])
  })

  it.each<[string, object]>([
    ['whose body does not arrive', {}],
    ['that nobody decides about', { permission: { verb: 'list', resource: 'instances' } }],
  ])('%s ends in time', async (_, options) => {
    for (const kind of ['unary', 'stream'] as const) {
      const method = kind === 'unary' ? listInstances : watchInstances
      const run = dispatching(never, method, { ...options, authorizer: { decide: never } })
      const read = 'permission' in options ? () => create(method.input) as Message : never
      const late = expect(run[kind]({ timeoutMs: 500 }, read)).rejects.toThrow(
        'the deadline of 500 ms passed',
      )
      await vi.advanceTimersByTimeAsync(500)
      await late
      expect(run.recorded()).toEqual(['DEADLINE_EXCEEDED'])
    }
  })

  it('that its wire refused is recorded with what it was refused for', () => {
    const { refused, recorded } = dispatching(nothing)
    refused(notFound('there is no such thing'))
    expect(recorded()).toEqual(['NOT_FOUND'])
  })

  it('lets others go on before the message of large lists is made, and makes one of little at once', async () => {
    vi.useRealTimers()
    const order: string[] = []
    const run = async (name: string, handle: (call: Call) => unknown) => {
      const { unary } = dispatching(handle, listInstances)
      setImmediate(() => order.push('another'))
      await unary()
      order.push(name)
      await new Promise(setImmediate)
    }
    await run('little', nothing)
    await run('large', async call => {
      await large(call)
      return { items: [] }
    })
    expect(order).toEqual(['little', 'another', 'another', 'large'])
  })
})

describe('a stream', () => {
  it('says nothing more about its source once it was granted', async () => {
    const answered = vi.fn()
    const { stream } = dispatching(async function* (call) {
      call.answered({ source: 'karmada', reason: 'late' })
      yield { type: 'BOOKMARK' }
    })
    const messages = await stream({ answered })
    await messages.next()
    expect(answered).not.toHaveBeenCalled()
  })

  it('gives back what it holds of answers when it is over', async () => {
    const run = dispatching(async function* (call) {
      await large(call)
      yield* []
    })
    const taken = () => run.answers.slots[0]?.load.taken
    const messages = await run.stream()
    expect((await messages.next()).done).toBe(true)
    expect(taken()).toBe(0)
  })

  it('ends by its caller’s deadline as one that was late, and after its longest life where that is sooner', async () => {
    const { iterable } = silentSource()
    const { stream } = dispatching(() => iterable)
    const short = expect((await stream({ timeoutMs: 5_000 })).next()).rejects.toMatchObject({
      code: Code.DEADLINE_EXCEEDED,
    })
    await vi.advanceTimersByTimeAsync(5_000)
    await short
    const long = expect((await stream({ timeoutMs: 3_600_000 })).next()).rejects.toThrow('its longest life')
    await vi.advanceTimersByTimeAsync(30 * 60_000)
    await long
  })

  it('lives for up to twice as long, by chance, so that not all are resumed at once', async () => {
    const { iterable } = silentSource()
    const { stream } = dispatching(() => iterable, watchInstances, { random: () => 0.5 })
    const ended = vi.fn()
    const next = (await stream()).next().catch(ended)
    await vi.advanceTimersByTimeAsync(45 * 60_000 - 1)
    expect(ended).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await next
    expect(ended).toHaveBeenCalled()
  })

  it('whose source fails as it is closed is logged, and ends no process', async () => {
    const { stream, log } = dispatching(() => ({
      [Symbol.asyncIterator]: () => ({ next: never, return: () => Promise.reject(new Error('it is stuck')) }),
    }))
    await (await stream()).return?.()
    await vi.advanceTimersByTimeAsync(0)
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { operation: 'Test' } }])
  })
})
