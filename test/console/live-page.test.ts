import { beforeEach, describe, expect, it } from 'vitest'
import type { LivePage } from '../../console/live/live-page.js'
import { type Item, north, south, startedPage, type TestServer, west } from './live-page-under-test.js'
import { settled, type TestClock } from './test-clock.js'

let clock: TestClock
let server: TestServer
let live: LivePage<Item>
let shown: number

beforeEach(async () => {
  ;({ clock, server, live } = await startedPage())
  shown = 0
  live.subscribe(() => {
    shown += 1
  })
})

describe('a live page', () => {
  it('shows the first page and the total', () => {
    expect(live.page()).toMatchObject({ items: [north, south], total: 3, state: 'live' })
    expect(server.lists).toBe(1)
  })

  it('shows a change of a visible row without a request, in a list of stable order', async () => {
    Object.assign(server, { isStable: true })
    server.change('MODIFIED', { ...north, state: 'degraded' })
    await clock.pass(5_000)
    expect(live.page().items[0]).toEqual({ name: 'north', state: 'degraded' })
    expect(server.lists).toBe(1)
  })

  it('reads the page again when a visible row changes in a list whose order that may change', async () => {
    const changed = { ...north, state: 'degraded' }
    server.items = [south, west, changed]
    server.change('MODIFIED', changed)
    await clock.pass(1_000)
    expect([live.page().items, server.lists]).toEqual([[south, west], 2])
  })

  it('reads the page again when rows come or go, once for many', async () => {
    server.items = [{ name: 'east', state: 'ready' }, north, south, west]
    server.change('ADDED', server.items[0]!)
    server.change('ADDED', server.items[0]!)
    server.change('LEFT', west)
    await clock.pass(999)
    expect(server.lists).toBe(1)
    await clock.pass(1)
    expect(server.lists).toBe(2)
    expect(live.page()).toMatchObject({ items: [{ name: 'east' }, north], total: 4 })
  })

  it('shows a new total at once', async () => {
    server.items = [north, south]
    server.change('DELETED', west)
    await settled()
    expect(live.page().total).toBe(2)
  })

  it('calls its subscribers four times a second in a flood of changes', async () => {
    Object.assign(server, { isStable: true })
    const before = shown
    for (let n = 0; n < 100; n += 1) {
      server.change('MODIFIED', { ...north, state: `state ${n}` })
      await clock.pass(10)
    }
    expect(shown - before).toBeLessThanOrEqual(5)
    expect(live.page().items[0]).toEqual({ name: 'north', state: 'state 99' })
  })

  it('shows a change that came while its page was being read', async () => {
    const arrive = server.holdPages()
    server.change('ADDED', west)
    await clock.pass(1_000)
    server.items = [{ ...north, state: 'degraded' }, south, west]
    server.change('MODIFIED', server.items[0]!)
    await settled()
    arrive()
    await clock.pass(1_000)
    expect(live.page().items[0]).toEqual({ name: 'north', state: 'degraded' })
  })

  it('follows its list once, however often it is started', async () => {
    live.start()
    await settled()
    expect(server.resumed).toEqual([''])
  })

  it('resumes from the last change with a resume token', async () => {
    server.change('MODIFIED', north, 't7')
    server.change('MODIFIED', north, '')
    await settled()
    server.break()
    await clock.pass(1_000)
    expect(server.resumed).toEqual(['', 't7'])
  })

  it('sends no request after `stop` with one read running and another pending', async () => {
    const arrive = server.holdPages()
    server.change('ADDED', west)
    await clock.pass(1_000)
    server.change('ADDED', west)
    await clock.pass(1_000)
    const { lists } = server
    live.stop()
    arrive()
    await clock.pass(60_000)
    expect(server.lists).toBe(lists)
  })

  it('aborts its reads on `stop`, and reads again on `start`', async () => {
    const arrive = server.holdPages()
    server.change('ADDED', west)
    await clock.pass(1_000)
    live.stop()
    server.items = [south, west]
    const { lists } = server
    live.start()
    await settled()
    expect(server.lists).toBe(lists + 1)
    arrive()
    await settled()
    expect(live.page()).toMatchObject({ state: 'live', items: [south, west] })
  })

  it('does not call its subscribers after `stop`', async () => {
    server.change('MODIFIED', { ...north, state: 'degraded' })
    await settled()
    live.stop()
    const before = shown
    await clock.pass(60_000)
    expect([shown, clock.timers]).toEqual([before, 0])
  })

  it('sends no request while it is stopped, and resumes where it was', async () => {
    server.change('MODIFIED', north, 't9')
    await settled()
    await clock.pass(2_000)
    live.stop()
    const { lists } = server
    live.showRows(2, 3)
    await clock.pass(60_000)
    expect([server.lists, server.resumed.length]).toEqual([lists, 1])
    live.showRows(0, 1)
    expect(live.page()).toMatchObject({ state: 'stale', since: 3_000, items: [north, south] })
    live.start()
    await settled()
    expect(server.resumed).toEqual(['', 't9'])
    expect(live.page().state).toBe('live')
  })
})
