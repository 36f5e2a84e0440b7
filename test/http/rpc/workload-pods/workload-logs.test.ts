import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import type { Objects } from '../../../../http/objects/objects.js'
import { workloadPodsHandlers } from '../../../../http/rpc/workload-pods/handlers.js'
import { MOST_CONTAINERS } from '../../../../http/rpc/workload-pods/workload-logs.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import {
  type StreamWorkloadLogsRequest,
  StreamWorkloadLogsResponse_Type as Type,
} from '../../../../proto/gen/kairship/workload_pods_pb.js'
import { Code } from '../../../../transcoding/code.js'
import { all, noCluster, pod, reading, refusal, T } from './log-world.js'

describe('the logs of a workload', () => {
  it('are merged by time, and what cannot be read is named', async () => {
    const { messages, open } = reading(
      { a: [pod('a1')], b: refusal(503, 'ServiceUnavailable'), c: [pod('c1'), pod('c2')] },
      name =>
        name === 'c2'
          ? [refusal(403, 'Forbidden')]
          : [`${T}.${name === 'a1' ? 2 : 1}Z of ${name}\n`, `${T}.9Z last of ${name}\n`],
    )
    expect(await all(messages)).toEqual([
      ['UNREAD', 'b', undefined, 'it is ServiceUnavailable'],
      ['UNREAD', 'c', 'c2', 'it is Forbidden'],
      ['LINE', 'c', 'c1', 'of c1'],
      ['LINE', 'a', 'a1', 'of a1'],
      ['LINE', 'a', 'a1', 'last of a1'],
      ['LINE', 'c', 'c1', 'last of c1'],
    ])
    expect([...open]).toEqual([])
  })

  it('name a wanted container that no pod has, and the containers that there are', async () => {
    const choice = { containers: ['mian', 'main'], previous: false }
    const { messages } = reading({ a: [pod('a1')] }, () => [`${T}.1Z hello\n`], { choice })
    expect(await all(messages)).toEqual([
      ['UNREAD', undefined, undefined, 'no pod of the workload has this container: they have main'],
      ['LINE', 'a', 'a1', 'hello'],
    ])
  })

  it('name no missing container while pods may have it that cannot be seen', async () => {
    const choice = { containers: ['other'], previous: false }
    const { messages } = reading({ a: [pod('a1')], b: refusal(503, 'ServiceUnavailable') }, () => [], {
      choice,
    })
    expect(await all(messages)).toEqual([['UNREAD', 'b', undefined, 'it is ServiceUnavailable']])
    const none = reading({ a: [] }, () => [], { choice })
    expect(await all(none.messages)).toEqual([])
  })

  it('go on after the last line that was read, also where several have its time', async () => {
    const past = [`${T}.1Z one\n${T}.2Z two\n${T}.2Z three\n`]
    const rest = [...past, `${T}.2Z four\n${T}.3Z five\n`]
    const { messages, asked } = reading({ a: [pod('a1')] }, (_, { follow }) => (follow ? rest : past), {
      follow: true,
    })
    const texts: unknown[] = []
    for await (const { type, text } of messages) {
      texts.push(type === Type.FOLLOWING ? '|' : text)
      if (text === 'five') break
    }
    expect(texts).toEqual(['one', 'two', 'three', '|', 'four', 'five'])
    expect(asked).toMatchObject([{ tailLines: 2 }, { follow: true, sinceTime: `${T}Z` }])
    expect(asked[1]).not.toHaveProperty('tailLines')
  })

  it('that are over are read once, and not followed', async () => {
    const over = pod('a1', { terminated: { exitCode: 0 } })
    const { messages, asked } = reading(
      { a: [over, pod('a2')] },
      (_, { follow }) => [`${T}.1Z past\n`, ...(follow ? [`${T}.5Z followed\n`] : [])],
      { follow: true },
    )
    // The pods come in this order, so a1 would be followed by now, too.
    for await (const { pod: of, text } of messages) if (of === 'a2' && text === 'followed') break
    expect(asked.filter(({ pod, follow }) => pod === 'a2' && follow)).toHaveLength(1)
    expect(asked.filter(({ pod }) => pod === 'a1')).toHaveLength(1)
  })

  it.each([1, 3, 4, 5])('close every stream when the reader stops after %i messages', async count => {
    const { messages, open } = reading(
      { a: [pod('a1')], b: [pod('b1')] },
      (_, { follow }) => [follow ? `${T}.5Z new\n` : `${T}Z old\n`],
      { follow: true },
    )
    for (let n = 0; n < count; n += 1) await messages.next()
    await messages.return()
    await expect.poll(() => [...open]).toEqual([])
  })

  it('end with the caller’s reason when the caller hangs up in silence', async () => {
    const { messages, open, gone } = reading({ a: [pod('a1')] }, () => [], { follow: true })
    expect((await messages.next()).value).toMatchObject({ type: Type.FOLLOWING })
    const next = messages.next()
    await expect.poll(() => [...open].sort()).toEqual(['log of a1 in a', 'pods of a'])
    gone.abort(new Error('hung up'))
    await expect(next).rejects.toThrow('hung up')
    await expect.poll(() => [...open]).toEqual([])
  })

  it('tell of a cluster that is not there once, and do not ask it again', async () => {
    const asked: string[] = []
    const members = new Proxy<Record<string, readonly KubeObject[] | Error>>(
      { a: refusal(503, 'ServiceUnavailable'), nowhere: noCluster('nowhere') },
      {
        get(all, name) {
          asked.push(String(name))
          return all[String(name)]
        },
      },
    )
    const { messages } = reading(
      members,
      () => [],
      { follow: true },
      () => Promise.resolve(),
    )
    const told: unknown[] = []
    for await (const { cluster, type = 0 } of messages) {
      told.push([Type[type], cluster])
      if (told.length === 12) break
    }
    expect(told.slice(0, 3)).toEqual([
      ['UNREAD', 'a'],
      ['UNREAD', 'nowhere'],
      ['FOLLOWING', undefined],
    ])
    expect(told.slice(3)).toEqual(Array(9).fill(['UNREAD', 'a']))
    expect(asked.filter(name => name === 'nowhere')).toHaveLength(1)
  })

  it('tell of a cluster that cannot be read once, until it is tried again after a pause', async () => {
    const did: unknown[] = []
    const hungUp = new Error('hung up')
    const { messages } = reading(
      { a: refusal(503, 'ServiceUnavailable') },
      () => [],
      { follow: true },
      async ms => {
        did.push(ms)
        if (ms > 10_000) throw hungUp
      },
    )
    const tell = async () => {
      for await (const { type = 0 } of messages) did.push(Type[type])
    }
    await expect(tell()).rejects.toBe(hungUp)
    expect(did).toEqual(['UNREAD', 'FOLLOWING', 5_000, 'UNREAD', 10_000, 'UNREAD', 20_000])
  })

  it('end where no cluster is there, and tell of one that goes away once', async () => {
    const members: Record<string, readonly KubeObject[] | Error> = { a: [] }
    const { messages } = reading(members, () => [], { follow: true })
    expect((await messages.next()).value).toMatchObject({ type: Type.FOLLOWING })
    members.a = noCluster('a')
    expect(await all(messages)).toEqual([['UNREAD', 'a', undefined, 'clusters "a" not found']])
  })

  it.each<[string, readonly KubeObject[] | Error]>([
    ['that cannot be read', refusal(503, 'ServiceUnavailable')],
    ['without the workload', refusal(404, 'NotFound')],
  ])('ask a member %s again after growing pauses', async (_, member) => {
    const pauses: number[] = []
    const { messages, gone } = reading(
      { a: member },
      () => [],
      { follow: true },
      async ms => {
        pauses.push(ms)
        if (pauses.length < 7) return
        gone.abort(new Error('hung up'))
        throw gone.signal.reason
      },
    )
    await expect(all(messages)).rejects.toThrow('hung up')
    expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000])
  })

  it.each(['clusters', 'containers'])(
    'are refused for more than 100 %s, before anything is asked',
    async field => {
      const request = {
        ...{
          instance: 'i',
          namespace: 'shop',
          kind: 'DaemonSet',
          name: 'agent',
          clusters: ['a'],
          containers: [],
        },
        ...{ sinceSeconds: 0n, sinceTime: '', previous: false, follow: true },
        [field]: Array.from({ length: 101 }, (_, index) => `n${index}`),
      } as unknown as StreamWorkloadLogsRequest
      const { streamWorkloadLogs } = workloadPodsHandlers({} as Objects)
      await expect(async () => streamWorkloadLogs(request, {} as Call)).rejects.toMatchObject({
        code: Code.INVALID_ARGUMENT,
        details: { violations: [{ field, description: 'has 101 names, but may have 100' }] },
      })
    },
  )

  it.each(['', '..', 'a/../b', '%2e%2e'])(
    'of a cluster that cannot be called %j are refused',
    async cluster => {
      const request = {
        ...{
          instance: 'i',
          namespace: 'shop',
          kind: 'DaemonSet',
          name: 'agent',
          type: [],
          page: 0,
          pageSize: 0,
        },
        ...{ clusters: ['a', cluster], containers: [], sinceSeconds: 0n, sinceTime: '' },
      } as never
      const handlers = workloadPodsHandlers({} as Objects)
      const call = { caller: { user: 'ann' } } as Call
      for (const rpc of ['streamWorkloadLogs', 'listWorkloadEvents', 'watchWorkloadEvents'] as const)
        await expect(async () => handlers[rpc](request, call)).rejects.toMatchObject({
          code: Code.INVALID_ARGUMENT,
          message: expect.stringMatching(/^clusters: /),
        })
    },
  )

  it('of more containers than are read at once are refused, with what to choose', async () => {
    const pods = Array.from({ length: MOST_CONTAINERS + 1 }, (_, index) => pod(`p${index}`))
    const { messages, asked } = reading({ a: pods }, () => [])
    await expect(messages.next()).rejects.toThrow('choose clusters or containers')
    expect(asked).toEqual([])
  })

  it('name those beyond the bound that join later, and follow the others', async () => {
    const pods = Array.from({ length: MOST_CONTAINERS }, (_, index) => pod(`p${index}`))
    const members: Record<string, KubeObject[]> = { a: pods }
    const { messages, asked } = reading(members, () => [], { follow: true })
    expect((await messages.next()).value).toMatchObject({ type: Type.FOLLOWING })
    members.a = [...pods, pod('late')]
    expect((await messages.next()).value).toMatchObject({ type: Type.UNREAD, pod: 'late' })
    expect(asked.filter(({ follow }) => follow)).toHaveLength(MOST_CONTAINERS)
    await messages.return()
  })
})
