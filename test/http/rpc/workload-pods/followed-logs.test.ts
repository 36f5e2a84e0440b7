import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ContainerAt, ContainerLogs } from '../../../../http/rpc/workload-pods/container-log.js'
import { MOST_CONTAINERS } from '../../../../http/rpc/workload-pods/workload-logs.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { StreamWorkloadLogsResponse_Type as Type } from '../../../../proto/gen/kairship/workload_pods_pb.js'
import { warnedDuring } from '../../../node-warnings.js'
import { waitFor } from '../../../patience.js'
import { pod, reading, refusal, T } from './log-world.js'

afterEach(() => void vi.restoreAllMocks())

type World = ReturnType<typeof reading>

/** The next messages: type, pod, and the line or the message. */
async function next({ messages }: World, count: number) {
  const found: unknown[][] = []
  for (let n = 0; n < count; n += 1) {
    const { type = 0, pod, text, message } = (await messages.next()).value ?? {}
    found.push([Type[type], pod, text ?? message])
  }
  return found
}

const follow = { follow: true }
const added = (...objects: KubeObject[]) => ({
  events: objects.map(object => ({ type: 'ADDED' as const, object, total: 1 })),
})

describe('a followed log', () => {
  it('goes on after its last line with a time, where lines without one come after it', async () => {
    const past = [`${T}.1Z one\nno time\n`]
    const world = reading(
      { a: [pod('a1')] },
      (_, query) => (query.follow ? [...past, `${T}.2Z two\n`] : past),
      follow,
    )
    expect((await next(world, 4)).map(([, , text]) => text)).toEqual(['one', 'no time', undefined, 'two'])
    expect(world.asked[1]).toMatchObject({ sinceTime: `${T}Z` })
    await world.messages.return()
  })

  it('of which nothing was read has the lines that are wanted, and a new one has all', async () => {
    const world = reading({ a: [pod('a1')] }, (name, query) => (query.follow ? [`${T}Z of ${name}\n`] : []), {
      ...follow,
      ...added(pod('a1'), pod('late')),
    })
    expect(await next(world, 4)).toEqual([
      ['FOLLOWING', undefined, undefined],
      ['JOINED', 'late', undefined],
      ['LINE', 'a1', 'of a1'],
      ['LINE', 'late', 'of late'],
    ])
    const [, old, late] = world.asked
    expect(old).toMatchObject({ pod: 'a1', tailLines: 2 })
    expect(late).not.toHaveProperty('tailLines')
    await world.messages.return()
  })

  it.each([
    [404, 'NotFound'],
    [403, 'Forbidden'],
    [400, 'BadRequest'],
  ])('that is refused with %i is not read again', async (code, reason) => {
    const world = reading(
      { a: [pod('a1')] },
      (_, query) => (query.follow ? [refusal(code, reason)] : []),
      follow,
    )
    expect(await next(world, 3)).toEqual([
      ['FOLLOWING', undefined, undefined],
      ['UNREAD', 'a1', `it is ${reason}`],
      ['ENDED', 'a1', 'its log has ended'],
    ])
    await world.messages.return()
  })

  it('is followed once, however often its pod changes, and ends as its container did', async () => {
    const late = pod('late', { terminated: { exitCode: 3, reason: 'Error' } })
    const world = reading({ a: [pod('a1')] }, name => (name === 'late' ? [refusal(404, 'NotFound')] : []), {
      ...follow,
      ...added(pod('a1'), pod('a1'), late, late),
    })
    expect(await next(world, 4)).toEqual([
      ['FOLLOWING', undefined, undefined],
      ['JOINED', 'late', undefined],
      ['UNREAD', 'late', 'it is NotFound'],
      ['ENDED', 'late', 'the container ended: Error, exit code 3'],
    ])
    expect(world.asked.filter(query => query.follow).map(one => one.pod)).toEqual(['a1', 'late'])
    await world.messages.return()
  })

  it.each(['DELETED', 'LEFT'] as const)('is told to be of a pod that is gone: %s', async type => {
    const events = [{ type, object: pod('a1'), total: 0 }]
    const world = reading({ a: [] }, () => [], { ...follow, events })
    const told = await next(world, 3)
    expect(told).toContainEqual(['ENDED', 'a1', 'the pod is gone'])
    await world.messages.return()
  })

  it('makes room for another when it has ended', async () => {
    const pods = Array.from({ length: MOST_CONTAINERS }, (_, index) => pod(`p${index}`))
    let goOn: () => void = () => undefined
    const paused = () => new Promise<void>(resolve => (goOn = resolve))
    const members: Record<string, KubeObject[] | Error> = { a: pods, b: refusal(503, 'ServiceUnavailable') }
    const says = (name: string, query: { follow?: boolean }) =>
      query.follow && name !== 'late' ? [refusal(404, 'NotFound')] : []
    const world = reading(members, says, follow, paused)
    // Of b that it cannot be read, once; of each container that it cannot be read, and that it has ended.
    await next(world, 2 + 2 * MOST_CONTAINERS)
    members.b = [pod('late')]
    goOn()
    expect(await next(world, 1)).toEqual([['JOINED', 'late', undefined]])
    await world.messages.return()
  })

  it('beyond the bound is named once for its pod', async () => {
    const pods = Array.from({ length: MOST_CONTAINERS }, (_, index) => pod(`p${index}`))
    const late = pod('late')
    const [main] = late.status.containerStatuses
    late.status.containerStatuses.push({ ...main!, name: 'second' })
    const world = reading({ a: pods }, () => [], { ...follow, ...added(...pods, late, pod('later')) })
    const told = await next(world, 3)
    expect(told.map(([type, of]) => [type, of])).toEqual([
      ['FOLLOWING', undefined],
      ['UNREAD', 'late'],
      ['UNREAD', 'later'],
    ])
    await world.messages.return()
  })

  it('makes no warning of Node.js, however many there are', async () => {
    const pods = Array.from({ length: 20 }, (_, index) => pod(`p${index}`))
    const world = reading({ a: pods }, (_, query) => (query.follow ? [] : [`${T}Z old\n`]), follow)
    const warned = await warnedDuring(async () => {
      await next(world, 21)
      const waiting = world.messages.next()
      await waitFor(() => expect(world.asked).toHaveLength(40))
      world.gone.abort(new Error('hung up'))
      await expect(waiting).rejects.toThrow('hung up')
    })
    expect(warned).toEqual([])
  })

  it('that its reader leaves has nothing on the signal of its call', async () => {
    const world = reading({ a: [pod('a1')] }, () => [`${T}Z old\n`], follow)
    await next(world, 2)
    await world.messages.return()
    expect(getEventListeners(world.gone.signal, 'abort')).toEqual([])
  })
})

it('a member that was followed for a minute and breaks is asked again after the first pause', async () => {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const pauses: number[] = []
  const lasts = [0, 0, 60_000, 60_001, 0]
  const members = {
    get a(): Error {
      now += lasts[pauses.length] ?? 0
      return refusal(503, 'ServiceUnavailable')
    },
  }
  const world = reading(
    members,
    () => [],
    follow,
    async ms => void pauses.push(ms),
  )
  await next(world, 8)
  expect(pauses.slice(0, 5)).toEqual([5_000, 10_000, 20_000, 5_000, 10_000])
  await world.messages.return()
})

describe('the log of a container', () => {
  const at: ContainerAt = {
    ...{ place: { instance: 'i', cluster: 'a' }, namespace: 'shop', pod: 'a1' },
    ...{ name: 'main', run: 'a1/main', isOver: false, end: '' },
  }
  const said: unknown[] = []
  const logs = (says: Parameters<typeof reading>[1]) => {
    const { objects, call } = reading({}, says)
    const answered = (from: unknown) => void said.push(from)
    return { logs: new ContainerLogs(objects, { ...call, answered }, {}), signal: call.signal, objects }
  }

  it('as far as it is written leaves no listener on the signal of its call', async () => {
    const { logs: read, signal } = logs(() => [`${T}Z one\n`])
    const { lines } = read.past(at)
    for await (const _ of lines);
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('is given up with the reason that it is given', async () => {
    const { logs: read, objects } = logs(() => [])
    const silent = read.past(at)
    // A kubelet that does not end its answer.
    vi.spyOn(objects, 'log').mockImplementation(async function* ({ signal, answered }) {
      answered({ source: 'karmada', reason: 'Member' })
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      yield new Uint8Array()
    })
    const waiting = silent.lines.next()
    await new Promise(setImmediate)
    silent.giveUp(new Error('it took too long'))
    await expect(waiting).rejects.toThrow('it took too long')
    expect(said).toEqual([])
  })

  it('that broke ends with its signal while it waits to be read again', async () => {
    const over = new AbortController()
    const { logs: read } = logs(() => [new Error('reset')])
    const followed = read.follow(at, false, over.signal)
    expect((await followed.next()).value).toEqual({ error: new Error('reset') })
    const waiting = followed.next().catch(() => 'ended')
    over.abort(new Error('hung up'))
    expect(await Promise.race([waiting, new Promise(resolve => setImmediate(resolve, 'waits'))])).toBe(
      'ended',
    )
  })

  it('ends with its signal’s reason where it breaks with that', async () => {
    const over = new AbortController()
    over.abort(new Error('hung up'))
    const { logs: read } = logs(() => [new Error('reset')])
    await expect(read.follow(at, false, over.signal).next()).rejects.toThrow('hung up')
  })
})
