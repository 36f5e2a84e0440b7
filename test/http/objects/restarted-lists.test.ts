import { describe, expect, it } from 'vitest'
import { AnswerMemory, type AnswerReading } from '../../../http/limits/answer-memory.js'
import type { ListMark } from '../../../http/objects/list-mark.js'
import type { ListQuery } from '../../../http/objects/list-query.js'
import type { ObjectRequest, ObjectRequests } from '../../../http/objects/requests/object-requests.js'
import { watchObjects } from '../../../http/objects/watch/watch-objects.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { bareStatus, StatusError } from '../../../manifests/status-error.js'

const type = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true }
const object = (name: string, uid = name) => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap' },
  metadata: { name, namespace: 'shop', uid, resourceVersion: '1' },
})
const list = { kind: 'ConfigMapList', metadata: { resourceVersion: '7' }, items: [object('b'), object('a')] }
const expired = new StatusError(bareStatus(410, 'too old resource version'))

/** What is followed: conditions of the list, events of its watch, and what is there of an object that is asked for by its name. */
interface Wanted extends Partial<ListQuery<KubeObject>> {
  readonly since?: ListMark | undefined
  readonly events?: readonly object[]
  readonly found?: readonly KubeObject[]
}

/**
 * The watch of a list that takes 2 MiB.
 * @param lasts milliseconds after which each watch of the instance expires; the last one stays
 */
function follow(lasts: readonly number[], { since, events = [], found = [], ...more }: Wanted = {}) {
  const memory = new AnswerMemory()
  const pauses: number[] = []
  const sent: ObjectRequest['query'][] = []
  const asked: string[] = []
  let mark: ListMark | undefined
  let [now, watches] = [0, 0]
  const requests = {
    options: { parts: { now: () => now }, pause: async (ms: number) => void pauses.push(ms) },
    async send(_: unknown, __: unknown, request: ObjectRequest, { reading }: { reading: AnswerReading }) {
      sent.push(request.query)
      await reading.add(2 << 20)
      const resourceVersion = request.query?.resourceVersion ?? list.metadata.resourceVersion
      const body = JSON.stringify({ ...list, metadata: { resourceVersion } })
      return { status: 200, headers: [], body: Buffer.from(body) }
    },
    async json(_: unknown, __: unknown, { path }: ObjectRequest) {
      asked.push(path)
      const [one] = found
      if (!one) throw new StatusError({ ...bareStatus(404, 'not found'), reason: 'NotFound' })
      return one
    },
    async *stream(_: unknown, __: unknown, ___: unknown, opened: () => void) {
      const ms = lasts[watches++]
      opened()
      for (const event of events) yield Buffer.from(`${JSON.stringify(event)}\n`)
      if (ms === undefined) await new Promise(() => undefined)
      now += ms ?? 0
      throw expired
    },
  } as unknown as ObjectRequests
  const call = {
    caller: { user: 'ann', groups: [], extra: {} },
    signal: new AbortController().signal,
    answers: memory.account('ann', true),
    answered: () => undefined,
  }
  const query = { page: 1, pageSize: 0, ...more }
  const steps = watchObjects<KubeObject>({ requests, call, place: { instance: 'north' }, type, query }, since)
  const next = async (count: number) => {
    const told: string[] = []
    for (let n = 0; n < count; n += 1) {
      const step = (await steps.next()).value
      mark = step?.mark
      if (step) told.push('object' in step ? `${step.type} ${step.object.metadata.name}` : step.type)
    }
    return told
  }
  return {
    next,
    pauses,
    sent,
    asked,
    mark: () => mark,
    taken: () => memory.slots.map(({ load }) => load.taken),
  }
}

const WHOLE = ['RESET', 'ADDED a', 'ADDED b', 'BOOKMARK']

describe('a followed list', () => {
  it('that expires at once is read again after growing pauses, and at once after it lasted', async () => {
    const { next, pauses } = follow([0, 999, 0, 1_000, 0])
    for (let times = 0; times < 6; times += 1) expect(await next(4)).toEqual(WHOLE)
    expect(pauses).toHaveLength(4)
    const [first = 0, , third = 0, afterLasting = 0] = pauses
    expect([first <= 200, third >= 400, afterLasting <= 200]).toEqual([true, true, true])
  })

  it('that goes on after a mark, and then expires, is read again whole', async () => {
    const before = follow([])
    await before.next(4)
    const { next, sent, pauses } = follow([1_000], { since: before.mark() })
    expect(await next(8)).toEqual([...WHOLE, ...WHOLE])
    expect(sent.map(query => query?.resourceVersion)).toEqual(['7', undefined])
    expect(pauses).toEqual([])
  })

  it('whose mark is of another list starts over, and holds nothing of what was read for it', async () => {
    const { next, sent, taken } = follow([], { since: { version: '6', digest: '0123456789abcdef' } })
    expect(await next(4)).toEqual(WHOLE)
    expect(sent.map(query => query?.resourceVersion)).toEqual(['6', undefined])
    expect(taken()).toEqual([0, 0, 0])
  })

  it('shows an object once what its conditions depend on is known', async () => {
    const known = new Set<string>()
    const learn = async ({ metadata }: KubeObject) => {
      await new Promise(setImmediate)
      known.add(metadata.name)
    }
    const where = ({ metadata }: KubeObject) => known.has(metadata.name)
    const { next } = follow([], { learn, where, events: [{ type: 'ADDED', object: object('late') }] })
    expect(await next(3)).toEqual(['RESET', 'BOOKMARK', 'ADDED late'])
  })

  const path = '/api/v1/namespaces/shop/configmaps/a'
  it.each<[string, Wanted, string, string[]]>([
    ['without selectors', { found: [object('a')] }, 'DELETED a', []],
    ['with labels, still there', { labelSelector: 'a=b', found: [object('a')] }, 'LEFT a', [path]],
    ['with fields, still there', { fieldSelector: 'a=b', found: [object('a')] }, 'LEFT a', [path]],
    ['with labels, made again', { labelSelector: 'a=b', found: [object('a', 'new')] }, 'DELETED a', [path]],
    ['with labels, gone', { labelSelector: 'a=b' }, 'DELETED a', [path]],
  ])('%s: what its watch reports as deleted is shown as it is', async (_, wanted, told, read) => {
    const { next, asked } = follow([], { ...wanted, events: [{ type: 'DELETED', object: object('a') }] })
    expect((await next(5)).at(-1)).toBe(told)
    expect(asked).toEqual(read)
  })
})
