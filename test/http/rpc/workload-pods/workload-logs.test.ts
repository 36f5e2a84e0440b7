import { describe, expect, it } from 'vitest'
import type { ObjectType, Place } from '../../../../http/objects/object-type.js'
import type { LogQuery, ObjectCall, Objects } from '../../../../http/objects/objects.js'
import { MOST_CONTAINERS, workloadLogs } from '../../../../http/rpc/workload-pods/workload-logs.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { StatusError } from '../../../../manifests/status-error.js'
import { StreamWorkloadLogsResponse_Type as Type } from '../../../../proto/gen/kairship/workload_pods_pb.js'
import { aloneAnswers } from '../../fakes/answers.js'

const T = '2026-11-20T10:00:00'
const refusal = (code: number, reason: string) =>
  new StatusError({
    ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' },
    ...{ code, reason, message: `it is ${reason}` },
  } as never)
const set: KubeObject = {
  ...{ apiVersion: 'apps/v1', kind: 'DaemonSet' },
  metadata: { name: 'agent', namespace: 'shop', uid: 'set' },
}
const pod = (name: string, state: object = { running: {} }) => ({
  ...{ apiVersion: 'v1', kind: 'Pod' },
  metadata: {
    ...{ name, namespace: 'shop', uid: name },
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'set', controller: true },
    ],
  },
  status: { containerStatuses: [{ name: 'main', containerID: `x://${name}`, state }] },
})

/** What a member's kubelet says to a request for a log. */
type Says = (pod: string, query: LogQuery) => readonly (string | Error)[]

/** Members with pods, whose followed logs stay open, as those of kubelets do. */
function reading(
  members: Readonly<Record<string, readonly KubeObject[] | Error>>,
  says: Says,
  more: object = {},
) {
  const open = new Set<string>()
  const asked: (LogQuery & { pod: string })[] = []
  const gone = new AbortController()
  const silence = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      if (signal.aborted) reject(signal.reason)
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  const podsIn = ({ cluster = '' }: Place) => {
    const pods = members[cluster]
    if (pods instanceof Error) throw pods
    return pods ?? []
  }
  const objects = {
    async get(_call: ObjectCall, place: Place) {
      podsIn(place)
      return set
    },
    async list(_call: ObjectCall, place: Place) {
      return { items: podsIn(place) }
    },
    async *watch(call: ObjectCall, place: Place, { resource }: ObjectType) {
      open.add(`${resource} of ${place.cluster}`)
      try {
        yield { type: 'RESET', total: 0 }
        for (const object of podsIn(place)) yield { type: 'ADDED', object, total: 1 }
        await silence(call.signal)
      } finally {
        open.delete(`${resource} of ${place.cluster}`)
      }
    },
    async *log(call: ObjectCall, { cluster }: Place, { name }: { name: string }, query: LogQuery) {
      asked.push({ ...query, pod: name })
      open.add(`log of ${name} in ${cluster}`)
      try {
        for (const part of says(name, query)) {
          if (part instanceof Error) throw part
          yield Buffer.from(part)
        }
        if (query.follow) await silence(call.signal)
      } finally {
        open.delete(`log of ${name} in ${cluster}`)
      }
    },
  } as unknown as Objects
  const call: ObjectCall = {
    ...{ caller: { user: 'me', groups: [], extra: {} }, signal: gone.signal, answered: () => undefined },
    answers: aloneAnswers(true),
  }
  const messages = workloadLogs(objects, call, {
    workload: { instance: 'i', namespace: 'shop', kind: 'DaemonSet', name: 'agent' },
    clusters: Object.keys(members),
    choice: { containers: [], previous: false },
    ...{ wanted: { tailLines: 2 }, follow: false, ...more },
  })
  return { messages, open, asked, gone }
}

async function all(messages: ReturnType<typeof workloadLogs>) {
  const found: unknown[][] = []
  for await (const { type = 0, cluster, pod, text, message } of messages)
    found.push([Type[type], cluster, pod, text ?? message])
  return found
}

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
    const { messages, asked, gone } = reading({ a: [over, pod('a2')] }, () => [`${T}Z x\n`], { follow: true })
    for await (const { type } of messages) if (type === Type.FOLLOWING) break
    gone.abort(new Error('hung up'))
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
