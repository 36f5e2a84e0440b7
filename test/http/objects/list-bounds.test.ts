import { describe, expect, it } from 'vitest'
import { AnswerMemory, type AnswerReading } from '../../../http/limits/answer-memory.js'
import { listObjects } from '../../../http/objects/list/list-objects.js'
import type { Listing } from '../../../http/objects/list/listing.js'
import { readWholeAt } from '../../../http/objects/list/whole-list.js'
import type { ObjectRequest, ObjectRequests } from '../../../http/objects/requests/object-requests.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { bareStatus, StatusError } from '../../../manifests/status-error.js'
import { fakeFleet, viewOf } from '../fakes/fleet.js'

const MIB = 1 << 20
const type = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true }
const objects = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => ({ metadata: { name: `c${from + n}`, namespace: 'default' } }))
const page = (items: unknown, next?: string, padding = 0) =>
  Buffer.concat([
    Buffer.from(JSON.stringify({ metadata: { resourceVersion: '7', continue: next }, items })),
    Buffer.alloc(padding, ' '),
  ])

/** A list of an instance whose pages a test makes, each of which takes 2 MiB of the memory. */
function listing(answer: (request: ObjectRequest) => Buffer, lasts = false) {
  const memory = new AnswerMemory()
  const sent: ObjectRequest[] = []
  const requests = {
    options: { parts: { fleet: fakeFleet(viewOf('north')) } },
    async send(_: unknown, __: unknown, request: ObjectRequest, { reading }: { reading: AnswerReading }) {
      sent.push(request)
      await reading.add(2 * MIB)
      return { status: 200, headers: [], body: answer(request) }
    },
  } as unknown as ObjectRequests
  const call = {
    caller: { user: 'ann', groups: [], extra: {} },
    signal: new AbortController().signal,
    answers: memory.account('ann', lasts),
    answered: () => undefined,
  }
  const query = { page: 1, pageSize: 0 }
  const all: Listing<KubeObject> = { requests, call, place: { instance: 'north' }, type, query }
  const taken = () => memory.slots.map(({ load }) => load.taken)
  return { all, sent, taken }
}

describe('a list that is read whole', () => {
  const fromOf = (request: ObjectRequest) => Number(request.query?.continue ?? 0)

  it.each([
    [10_000, false, 'there'],
    [10_001, false, 'too many'],
    [10_000, true, 'too many'],
  ])('of %i objects, and more to come: %s, is %s', async (count, isMore, outcome) => {
    const { all } = listing(request => {
      const from = fromOf(request)
      const isLast = from > 0
      const next = isLast ? isMore && 'more' : '5000'
      return page(objects(isLast ? count - from : 5_000, from), next || undefined)
    })
    const listed = listObjects(all)
    if (outcome === 'there') expect((await listed).items).toHaveLength(count)
    else await expect(listed).rejects.toThrow('there are more than 10000 configmaps')
  })

  it('is refused with its first page where the instance says that far more remain', async () => {
    const { all, sent } = listing(() => {
      const metadata = { resourceVersion: '7', continue: 'next', remainingItemCount: 99_500 }
      return Buffer.from(JSON.stringify({ metadata, items: objects(500) }))
    })
    await expect(listObjects(all)).rejects.toThrow('there are more than 10000 configmaps')
    expect(sent).toHaveLength(1)
  })

  it('of more than 64 MiB in its pages together is refused', async () => {
    const { all, sent } = listing(request => page([], String(fromOf(request) + 1), 24 * MIB))
    await expect(listObjects(all)).rejects.toThrow('or 64 MiB of them')
    expect(sent).toHaveLength(3)
  })

  it('that expires between its pages is read three times, and holds nothing of those', async () => {
    const { all, sent, taken } = listing(request => {
      if (request.query?.continue) throw new StatusError({ ...bareStatus(410, 'expired'), reason: 'Expired' })
      return page(objects(1), 'next')
    })
    await expect(listObjects(all)).rejects.toThrow('expired')
    expect(sent.map(({ query }) => query?.continue)).toEqual(Array(3).fill([undefined, 'next']).flat())
    expect(taken()).toEqual([0, 0, 0])
  })

  it.each([
    ['a stream is not held', true, [0, 0, 0]],
    ['a call is held until that ends', false, [1, 1, 0]],
  ])('for %s', async (_, lasts, held) => {
    const { all, taken } = listing(() => page(objects(1)), lasts)
    const { items } = await listObjects(all)
    expect(items).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', ...objects(1)[0] }])
    expect(taken()).toEqual(held)
  })

  it('may be null, as Go writes an empty one, and has a name for each object', async () => {
    expect((await listObjects(listing(() => page(null)).all)).items).toEqual([])
    for (const items of [[{ metadata: {} }], [null], [{}], {}])
      await expect(listObjects(listing(() => page(items)).all)).rejects.toThrow('is no list of configmaps')
  })
})

describe('the list of a past version', () => {
  it.each([400, 410, 500, 504])(
    'is not there where the instance answers %i, and holds nothing',
    async code => {
      const { all, taken } = listing(() => {
        throw new StatusError(bareStatus(code, 'no such state'))
      })
      expect(await readWholeAt(all, '7')).toBeUndefined()
      expect(taken()).toEqual([0, 0, 0])
    },
  )

  it('is not there where the instance answers with another version, and holds nothing', async () => {
    const { all, sent, taken } = listing(() => page(objects(1)))
    expect(await readWholeAt(all, '6')).toBeUndefined()
    expect(sent[0]?.query).toMatchObject({ resourceVersion: '6', resourceVersionMatch: 'Exact' })
    expect(taken()).toEqual([0, 0, 0])
  })

  it('is held until it is given back, and its refusal is passed on', async () => {
    const { all, taken } = listing(() => page(objects(1)))
    const read = await readWholeAt(all, '7')
    expect([read?.objects.length, taken()]).toEqual([1, [1, 1, 0]])
    read?.giveBack()
    expect(taken()).toEqual([0, 0, 0])
    const forbidden = listing(() => {
      throw new StatusError(bareStatus(403, 'not for you'))
    })
    await expect(readWholeAt(forbidden.all, '7')).rejects.toThrow('not for you')
  })
})
