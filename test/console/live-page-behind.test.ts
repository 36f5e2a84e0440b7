import { beforeEach, describe, expect, it } from 'vitest'
import { LivePage } from '../../console/live/live-page.js'
import type { Source } from '../../console/live/source.js'
import { type Item, startedPage, type TestServer } from './live-page-under-test.js'
import { settled, type TestClock } from './test-clock.js'

let clock: TestClock
let server: TestServer
let live: LivePage<Item>

beforeEach(async () => {
  ;({ clock, server, live } = await startedPage())
})

describe('a live page read from an index that is behind its watch', () => {
  const item = (n: number, version = '10') => ({ name: `item ${n}`, state: `at ${version}`, version })
  let indexed: readonly Item[]

  beforeEach(async () => {
    live.stop()
    server.items = Array.from({ length: 10 }, (_, n) => item(n))
    indexed = server.items
    const list: Source<Item>['list'] = async ({ page, pageSize }) => {
      server.asked.push(page)
      return { items: indexed.slice((page - 1) * pageSize, page * pageSize), total: indexed.length }
    }
    Object.assign(server, { list, isStable: true, versionOf: (one: Item) => one.version })
    live = new LivePage(server, clock, 2)
    live.start()
    await settled()
    server.asked.length = 0
  })

  it('drops changes from before a RESET, as after a control plane was restored from a backup', async () => {
    server.change('MODIFIED', item(0, '20'))
    await settled()
    expect(live.page().items[0]).toEqual(item(0, '20'))
    server.change('RESET', item(0))
    server.change('BOOKMARK', item(0))
    await settled()
    expect(live.page().items[0]).toEqual(item(0))
  })

  it('does not replace a shown change by an older row of the index', async () => {
    server.items = [item(0, '11'), ...server.items.slice(1)]
    server.change('MODIFIED', item(0, '11'))
    server.items = server.items.slice(0, 9)
    server.change('DELETED', item(9))
    await clock.pass(1_000)
    expect(server.asked).toEqual([1])
    expect(live.page().items).toEqual([item(0, '11'), item(1)])
    indexed = [item(0, '12'), ...server.items.slice(1)]
    await clock.pass(1_000)
    expect(live.page()).toMatchObject({ items: [item(0, '12'), item(1)], total: 9 })
  })

  it('reads again, with growing pauses and a limit, while the index lacks a new object', async () => {
    server.items = [item(-1, '11'), ...server.items]
    server.change('ADDED', item(-1, '11'))
    await clock.pass(1_000 + 1_000 + 2_000)
    expect(server.asked).toEqual([1, 1, 1])
    expect(live.page()).toMatchObject({ total: 10, items: [item(0), item(1)] })
    indexed = server.items
    await clock.pass(5_000)
    expect(live.page()).toMatchObject({ total: 11, items: [item(-1, '11'), item(0)] })
    await clock.pass(3_600_000)
    expect(server.asked).toEqual([1, 1, 1, 1])
    server.items = server.items.slice(1)
    server.change('DELETED', item(-1, '11'))
    await clock.pass(3_600_000)
    expect(server.asked.length).toBeLessThan(12)
  })
})
