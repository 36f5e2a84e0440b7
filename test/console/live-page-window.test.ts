import { beforeEach, describe, expect, it } from 'vitest'
import { LivePage } from '../../console/live/live-page.js'
import { type Item, startedPage, type TestServer } from './live-page-under-test.js'
import { settled, type TestClock } from './test-clock.js'

let clock: TestClock
let server: TestServer
let live: LivePage<Item>

beforeEach(async () => {
  ;({ clock, server, live } = await startedPage())
})

describe('a live page of a long list', () => {
  /** Rows `first` to `last` as they are shown; undefined for those on their way. */
  const rows = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, n) => {
      const row = first + n
      return live.page().pages.get(Math.floor(row / 2) + 1)?.rows[row % 2]?.name
    })

  beforeEach(async () => {
    server.items = Array.from({ length: 200 }, (_, n) => ({ name: `item ${n}`, state: 'ready' }))
    server.change('ADDED', server.items[0]!)
    await clock.pass(1_000)
    server.asked.length = 0
  })

  it('reads the visible pages that it does not hold', async () => {
    live.showRows(0, 3)
    await clock.pass(100)
    expect(server.asked).toEqual([2])
    expect(rows(0, 3)).toEqual(['item 0', 'item 1', 'item 2', 'item 3'])
  })

  it('does not request pages that are scrolled past', async () => {
    for (let first = 0; first < 150; first += 10) {
      live.showRows(first, first + 1)
      await clock.pass(5)
    }
    live.showRows(180, 181)
    await clock.pass(100)
    expect(server.asked).toEqual([91])
    expect(rows(180, 181)).toEqual(['item 180', 'item 181'])
  })

  it('does not request a page that became visible just before `stop`', async () => {
    live.showRows(100, 101)
    live.stop()
    await clock.pass(60_000)
    expect(server.asked).toEqual([])
  })

  it('aborts the read of a page that is no longer visible', async () => {
    const arrive = server.holdPages()
    live.showRows(100, 101)
    await clock.pass(100)
    live.showRows(180, 181)
    arrive()
    await clock.pass(100)
    expect(rows(100, 101)).toEqual([undefined, undefined])
    expect(rows(180, 181)).toEqual(['item 180', 'item 181'])
    expect(live.page().state).toBe('live')
  })

  it('keeps twenty pages, and drops the farthest', async () => {
    for (let first = 0; first < 100; first += 2) {
      live.showRows(first, first + 1)
      await clock.pass(100)
    }
    expect([...live.page().pages.keys()]).toEqual(Array.from({ length: 20 }, (_, n) => 31 + n))
  })

  it('shows a change of a row on a kept page', async () => {
    live.showRows(2, 3)
    await clock.pass(100)
    server.change('MODIFIED', { name: 'item 0', state: 'degraded' })
    await settled()
    expect(live.page().pages.get(1)?.rows[0]).toEqual({ name: 'item 0', state: 'degraded' })
  })

  it('sends no request when a row changes that it does not hold, in a list of stable order', async () => {
    Object.assign(server, { isStable: true })
    server.change('MODIFIED', { name: 'item 150', state: 'degraded' })
    await clock.pass(5_000)
    expect(server.asked).toEqual([])
    Object.assign(server, { isStable: false })
    server.change('MODIFIED', { name: 'item 150', state: 'degraded' })
    await clock.pass(5_000)
    expect(server.asked).toEqual([1])
  })

  it('reads the visible pages again when rows come or go, and drops the others', async () => {
    live.showRows(2, 3)
    await clock.pass(100)
    server.items = [{ name: 'first', state: 'ready' }, ...server.items]
    server.change('ADDED', server.items[0]!)
    await clock.pass(1_000)
    expect([...live.page().pages.keys()]).toEqual([2])
    expect(rows(2, 3)).toEqual(['item 1', 'item 2'])
  })

  it('requests no page after the last one', async () => {
    live.showRows(196, 220)
    await clock.pass(100)
    expect(server.asked).toEqual([99, 100])
  })

  it('requests no page before its stream has begun', async () => {
    const other = new LivePage(server, clock, 2)
    server.refusal = new Error('away')
    other.start()
    await settled()
    other.showRows(20, 21)
    await clock.pass(500)
    expect(server.asked).toEqual([])
    server.refusal = undefined
    await clock.pass(500)
    expect([server.asked, other.page().state]).toEqual([[11], 'live'])
  })

  it('is not live while a visible page is missing', async () => {
    const arrive = new Map<number, () => void>()
    const list: TestServer['list'] = async ({ page }) => {
      await new Promise<void>(resolve => arrive.set(page, resolve))
      return { items: server.items.slice((page - 1) * 2, page * 2), total: 200 }
    }
    const other = new LivePage<Item>(
      { list, keyOf: server.keyOf, watch: (token, signal) => server.watch(token, signal) },
      clock,
      2,
    )
    other.showRows(0, 1)
    other.start()
    await settled()
    arrive.get(1)?.()
    await settled()
    expect(other.page().state).toBe('live')
    other.showRows(0, 3)
    await clock.pass(100)
    arrive.get(2)?.()
    await settled()
    server.change('ADDED', server.items[0]!)
    await clock.pass(1_000)
    server.break()
    await clock.pass(1_000)
    arrive.get(1)?.()
    await settled()
    expect(other.page().state).toBe('stale')
    arrive.get(2)?.()
    await settled()
    expect(other.page().state).toBe('live')
  })

  it('has state `read` for a list that is too long to follow, and does not retry by itself', async () => {
    live.stop()
    Object.assign(server, { changes: undefined })
    server.refusal = Object.assign(new Error('more than 10000'), { reason: 'ListTooLarge' })
    live.start()
    await clock.pass(1_000)
    expect(live.page()).toMatchObject({ state: 'read', total: 200, since: clock.time - 1_000 })
    live.showRows(20, 21)
    await clock.pass(3_600_000)
    expect(rows(20, 21)).toEqual(['item 20', 'item 21'])
    expect(server.resumed).toHaveLength(2)
    server.refusal = undefined
    live.readAgain()
    await clock.pass(1_000)
    expect(live.page().state).toBe('live')
  })
})
