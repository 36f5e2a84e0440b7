import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { RecentEvent } from '../../../../http/audit/recent-event.js'
import { RecentEvents } from '../../../../http/audit/recent-events.js'
import type { Call } from '../../../../http/call/call.js'
import { auditHandlers } from '../../../../http/rpc/audit/handlers.js'
import {
  AuditOutcome,
  ListAuditEventsRequestSchema,
  WatchAuditEventsRequestSchema,
  type WatchAuditEventsResponseSchema,
} from '../../../../proto/gen/kairship/audit_pb.js'
import { ListChange_Type as Type } from '../../../../proto/gen/kairship/types_pb.js'
import { recentEvent } from '../../audit/recent-event.js'

const START = Date.UTC(2026, 10, 23)
type Step = MessageInitShape<typeof WatchAuditEventsResponseSchema>

/** Audit events, and calls of the user `ann`, who may see the events of these instances; of all by the name ''. */
function audit(readable: Set<string> = new Set(), most = 100) {
  const clock = { now: START }
  const instances = new Set(['north', 'south'])
  const events = new RecentEvents({ most, now: () => clock.now, isInstance: name => instances.has(name) })
  const handlers = auditHandlers(events)
  const ended = new AbortController()
  const asked: string[] = []
  const call = (user = 'ann') =>
    ({
      caller: { user, groups: [], extra: {} },
      signal: ended.signal,
      maySee: async (name: string) => {
        asked.push(name)
        return readable.has(name) || readable.has('')
      },
    }) as unknown as Call
  const keep = (id: string, more: Partial<RecentEvent> = {}) => {
    clock.now += 1_000
    events.keep(recentEvent({ id, endedAt: clock.now, user: 'bob', ...more }))
  }
  const list = async (request: MessageInitShape<typeof ListAuditEventsRequestSchema> = {}, user?: string) => {
    const {
      items = [],
      pagination,
      completeSince,
    } = await handlers.listAuditEvents(create(ListAuditEventsRequestSchema, request), call(user))
    return { ids: items.map(({ id }) => id), items, pagination, completeSince }
  }
  const watch = async (request: MessageInitShape<typeof WatchAuditEventsRequestSchema> = {}, user?: string) =>
    reader(await handlers.watchAuditEvents(create(WatchAuditEventsRequestSchema, request), call(user)))
  return { keep, list, watch, asked, readable, clock, instances }
}

/** Reads a stream step by step. */
function reader(stream: AsyncIterable<Step>) {
  const iterator = stream[Symbol.asyncIterator]()
  const tokens: string[] = []
  return {
    tokens,
    /** What the next steps say: the type, the total, and the id of the event. */
    async next(count: number): Promise<unknown[][]> {
      const said: unknown[][] = []
      while (said.length < count) {
        const { value } = (await iterator.next()) as { value: Step }
        const { type, total, event, resumeToken } = value
        said.push([Type[type!], total, ...(event ? [event.id] : [])])
        if (resumeToken) tokens.push(resumeToken)
      }
      return said
    },
  }
}

describe('a list of audit events', () => {
  it('shows, the newest first, those of instances that the caller may read, and its own everywhere', async () => {
    const { keep, list, asked } = audit(new Set(['north']))
    keep('of north')
    keep('of south', { instance: 'south' })
    keep('own in south', { instance: 'south', user: 'ann' })
    keep('of none', { instance: '' })
    keep('own of none', { instance: '', user: 'ann' })
    const { ids, pagination } = await list()
    expect(ids).toEqual(['own of none', 'own in south', 'of north'])
    expect(pagination).toMatchObject({ total: 3 })
    expect(asked.sort()).toEqual(['', 'north', 'south'])
  })

  it('shows those that are about no instance to who may read all', async () => {
    const { keep, list } = audit(new Set(['']))
    keep('of north')
    keep('of none', { instance: '' })
    expect((await list()).ids).toEqual(['of none', 'of north'])
  })

  it('shows those of a removed instance to who may read it, and those of a new one once it is there', async () => {
    const { keep, list, instances } = audit(new Set(['south', 'west']))
    keep('of south', { instance: 'south' })
    instances.delete('south')
    keep('create west', { instance: 'west' })
    expect((await list()).ids).toEqual(['of south'])
    instances.add('west')
    expect((await list()).ids).toEqual(['create west', 'of south'])
  })

  it('asks for no rights on names that callers invented: one flood of them would make each list cost the host as many reviews', async () => {
    const { keep, list, watch, asked } = audit(new Set(['north', 'x1']))
    for (let index = 0; index < 50; index++) keep(`e${index}`, { instance: `x${index}`, outcome: 'denied' })
    keep('of north')
    expect((await list()).ids).toEqual(['of north'])
    expect(asked.splice(0).sort()).toEqual(['', 'north'])
    expect(await (await watch()).next(3)).toEqual([
      ['RESET', 0],
      ['ADDED', 1, 'of north'],
      ['BOOKMARK', 1],
    ])
    expect(asked.sort()).toEqual(['', 'north'])
  })

  it.each([
    ['user', 'eve'],
    ['instance', 'south'],
    ['cluster', 'm1'],
    ['namespace', 'other'],
    ['resource', 'pods'],
    ['name', 'web'],
    ['verb', 'create'],
  ] as const)('filters by the whole %s', async (field, value) => {
    const { keep, list } = audit(new Set(['']))
    keep('other', { [field]: `${value}2` })
    keep('wanted', { [field]: value })
    expect((await list({ [field]: value })).ids).toEqual(['wanted'])
    expect((await list({ [field]: value.slice(1) })).ids).toEqual([])
  })

  it('filters by outcome and time', async () => {
    const { keep, list, clock } = audit(new Set(['']))
    keep('a', { outcome: 'denied' })
    keep('b', { outcome: 'failed' })
    const since = BigInt(clock.now)
    keep('c', { outcome: 'unknown' })
    keep('d')
    expect((await list({ outcome: AuditOutcome.DENIED })).ids).toEqual(['a'])
    expect((await list({ outcome: AuditOutcome.FAILED })).ids).toEqual(['b'])
    expect((await list({ outcome: AuditOutcome.UNKNOWN })).ids).toEqual(['c'])
    expect((await list({ outcome: AuditOutcome.SUCCEEDED })).ids).toEqual(['d'])
    expect((await list({ since })).ids).toEqual(['d', 'c', 'b'])
    await expect(list({ since: -1n })).rejects.toMatchObject({ code: 3 })
  })

  it('is walked by tokens that go on where a page ended, whatever has come since', async () => {
    const { keep, list } = audit(new Set(['']))
    for (const id of ['a', 'b', 'c', 'd', 'e']) keep(id)
    const first = await list({ pageSize: 2 })
    expect(first).toMatchObject({ ids: ['e', 'd'], pagination: { total: 5, page: 1, pages: 3 } })
    keep('f')
    const second = await list({ pageSize: 2, pageToken: first.pagination?.nextPageToken as string })
    expect(second.ids).toEqual(['c', 'b'])
    const last = await list({ pageSize: 2, pageToken: second.pagination?.nextPageToken as string })
    expect(last.ids).toEqual(['a'])
    expect(last.pagination?.nextPageToken).toBeUndefined()
    expect((await list({ pageSize: 2, page: 2 })).ids).toEqual(['d', 'c'])
    const pageToken = first.pagination?.nextPageToken as string
    await expect(list({ pageSize: 2, pageToken }, 'eve')).rejects.toMatchObject({ code: 3 })
  })

  it('says since when it is complete', async () => {
    const { keep, list, clock } = audit(new Set(['']), 2)
    expect((await list()).completeSince).toBe(BigInt(START))
    keep('a')
    const forgotten = clock.now
    keep('b')
    keep('c')
    expect(await list()).toMatchObject({ ids: ['c', 'b'], completeSince: BigInt(forgotten) })
  })
})

describe('a watch of audit events', () => {
  it('sends those that are kept, the oldest first, and then each that comes and is chosen', async () => {
    const { keep, watch } = audit(new Set(['north']))
    keep('a')
    keep('b', { verb: 'create' })
    keep('c', { instance: 'south' })
    const { next } = await watch({ verb: 'delete' })
    expect(await next(3)).toEqual([
      ['RESET', 0],
      ['ADDED', 1, 'a'],
      ['BOOKMARK', 1],
    ])
    keep('d', { instance: 'south' })
    keep('e', { verb: 'create' })
    keep('f')
    expect(await next(1)).toEqual([['ADDED', 2, 'f']])
  })

  it('shows nothing more of an instance from when the right is withdrawn, and what comes after it is given', async () => {
    const { keep, watch, readable } = audit(new Set(['north']))
    const { next } = await watch()
    await next(2)
    keep('a')
    expect(await next(1)).toEqual([['ADDED', 1, 'a']])
    readable.delete('north')
    keep('b')
    keep('own', { user: 'ann' })
    expect(await next(1)).toEqual([['ADDED', 2, 'own']])
    readable.add('north')
    keep('c')
    expect(await next(1)).toEqual([['ADDED', 3, 'c']])
  })

  it('goes on after a token, and starts over where events after it are no longer kept', async () => {
    const { keep, watch } = audit(new Set(['']), 3)
    const { next, tokens } = await watch()
    await next(2)
    keep('a')
    keep('b')
    await next(2)
    const [, resumeToken = ''] = tokens
    const again = await watch({ resumeToken })
    keep('c')
    expect(await again.next(3)).toEqual([
      ['BOOKMARK', 1],
      ['ADDED', 2, 'b'],
      ['ADDED', 3, 'c'],
    ])
    keep('d')
    keep('e')
    expect(await (await watch({ resumeToken })).next(5)).toEqual([
      ['RESET', 0],
      ['ADDED', 1, 'c'],
      ['ADDED', 2, 'd'],
      ['ADDED', 3, 'e'],
      ['BOOKMARK', 3],
    ])
  })

  it('starts over for a reader so slow that events went by, and goes on for one that has received them', async () => {
    const { keep, watch } = audit(new Set(['']), 2)
    const [slow, quick] = [await watch(), await watch()]
    await slow.next(2)
    await quick.next(2)
    for (const id of ['a', 'b', 'c', 'd']) {
      keep(id)
      expect((await quick.next(1))[0]?.[2]).toBe(id)
    }
    expect(await slow.next(4)).toEqual([
      ['RESET', 0],
      ['ADDED', 1, 'c'],
      ['ADDED', 2, 'd'],
      ['BOOKMARK', 2],
    ])
  })

  it('starts over with the token of another filter, caller or process, and refuses what is no token', async () => {
    const { keep, watch } = audit(new Set(['']))
    const { next, tokens } = await watch()
    await next(2)
    const [resumeToken = ''] = tokens
    keep('a')
    for (const stream of [
      await watch({ resumeToken, verb: 'delete' }),
      await watch({ resumeToken }, 'eve'),
      await audit().watch({ resumeToken }),
    ])
      expect(await stream.next(1)).toEqual([['RESET', 0]])
    for (const wrong of ['x', `${resumeToken}x.`, resumeToken.replace('audit1', 'audit2')])
      await expect(watch({ resumeToken: wrong })).rejects.toMatchObject({ code: 3 })
    await expect(watch({ since: -1n })).rejects.toMatchObject({ code: 3 })
  })

  it('has tokens that are the same whether or not there are events that the caller may not see', async () => {
    const placeAfter = async (endedAt: readonly number[]) => {
      const { keep, watch, clock } = audit()
      keep('own', { user: 'ann' })
      for (const time of endedAt) {
        clock.now = time - 1_000
        keep('hidden')
      }
      clock.now = START + 60_000
      const { next, tokens } = await watch()
      await next(3)
      return tokens.at(-1)?.split('.')[2]
    }
    expect(await placeAfter([START + 7_000, START + 9_000])).toBe(await placeAfter([]))
  })

  it('misses no event of the millisecond in which it began', async () => {
    const { keep, watch, clock } = audit(new Set(['']))
    const { next, tokens } = await watch()
    await next(2)
    clock.now -= 1_000
    keep('a')
    expect(await next(1)).toEqual([['ADDED', 1, 'a']])
    expect(await (await watch({ resumeToken: tokens[0]! })).next(2)).toEqual([
      ['BOOKMARK', 0],
      ['ADDED', 1, 'a'],
    ])
  })

  it('misses no event that ends while those before it are sent', async () => {
    const { keep, watch } = audit(new Set(['']))
    keep('a')
    const { next } = await watch()
    await next(2)
    keep('b')
    expect(await next(2)).toEqual([
      ['BOOKMARK', 1],
      ['ADDED', 2, 'b'],
    ])
  })

  it('refuses a token whose total no message can have', async () => {
    const { watch } = audit()
    const { next, tokens } = await watch()
    await next(2)
    const resumeToken = tokens[0]!.replace(/[^.]*$/, 'zzzzzz')
    await expect(watch({ resumeToken })).rejects.toMatchObject({ code: 3 })
  })

  it('reads many kept events in parts, each of them once', async () => {
    const { keep, watch } = audit(new Set(['']), 1_200)
    const ids = Array.from({ length: 1_200 }, (_, index) => `e${index}`)
    for (const id of ids) keep(id)
    const { next } = await watch()
    const steps = await next(1_202)
    expect(steps.slice(1, -1).map(([, , id]) => id)).toEqual(ids)
    expect(steps.at(-1)).toEqual(['BOOKMARK', 1_200])
  })
})
