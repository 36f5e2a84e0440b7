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

describe('a live page of a list that is too long for its watch', () => {
  const item = (n: number, version = '10') => ({ name: `item ${n}`, state: `at ${version}`, version })
  const change = (n: number, version: string, type: 'ADDED' | 'MODIFIED' | 'DELETED' = 'MODIFIED') =>
    ({ type, key: `item ${n}`, version }) as const

  beforeEach(async () => {
    live.stop()
    server.items = Array.from({ length: 200 }, (_, n) => item(n))
    Object.assign(server, { isStable: true, versionOf: (one: Item) => one.version })
    server.refusal = Object.assign(new Error('more than 10000'), { reason: 'ListTooLarge' })
    live = new LivePage(server, clock, 2)
    live.start()
    await settled()
    server.asked.length = 0
  })

  it('is live by its stream of changes, and has the time of its count', async () => {
    expect(live.page()).toMatchObject({ state: 'live', total: 200, countedAt: clock.time })
    expect(live.page().items).toEqual([item(0), item(1)])
    await clock.pass(3_600_000)
    expect(server.asked).toEqual([])
  })

  it('reads a visible row again within a second of its change, once for many changes', async () => {
    server.items[1] = item(1, '12')
    for (const version of ['11', '12']) server.tell(change(1, version))
    await clock.pass(999)
    expect(server.asked).toEqual([])
    await clock.pass(1)
    expect(server.asked).toEqual([1])
    expect(live.page().items[1]).toEqual(item(1, '12'))
  })

  it('sends no request when a row changes that the browser does not hold', async () => {
    server.tell(change(150, '11'))
    await clock.pass(60_000)
    expect(server.asked).toEqual([])
  })

  it('reads again within five seconds when rows come or go outside the visible pages, once for a thousand a second', async () => {
    server.items = [item(-1), ...server.items]
    for (let n = 0; n < 10_000; n += 1) {
      server.tell(change(1_000 + n, '11', n % 2 ? 'ADDED' : 'DELETED'))
      if (n % 100 === 0) await clock.pass(100)
    }
    expect(server.asked.length).toBeLessThanOrEqual(2)
    await clock.pass(5_000)
    expect(live.page()).toMatchObject({ total: 201, items: [item(-1), item(0)], countedAt: clock.time })
  })

  it('reads a visible row within a second also when other rows came before', async () => {
    server.tell(change(150, '11', 'ADDED'))
    server.tell(change(0, '12', 'DELETED'))
    server.items = server.items.slice(1)
    await clock.pass(1_000)
    expect(live.page().items[0]).toEqual(item(1))
  })

  it('reads again when the index answered without the change', async () => {
    server.tell(change(1, '9999999999999999999'))
    await clock.pass(1_000 + 1_000)
    expect(server.asked).toEqual([1, 1])
    server.items[1] = item(1, '9999999999999999999')
    await clock.pass(2_000)
    expect(live.page().items[1]).toEqual(server.items[1])
    await clock.pass(60_000)
    expect(server.asked).toEqual([1, 1, 1])
  })

  it('reads a row again that changed while its page was being read', async () => {
    const arrive = server.holdPages()
    live.showRows(10, 11)
    await clock.pass(100)
    server.items[10] = item(10, '12')
    server.tell(change(10, '12'))
    await settled()
    arrive()
    await clock.pass(1_000)
    expect(live.page().items[0]).toEqual(item(10, '12'))
  })

  it('is stale since its stream broke, and reads the visible pages when the stream resumes', async () => {
    server.changesRefusal = new Error('away')
    server.tell(new Error('the stream was cut'))
    await settled()
    expect(live.page()).toMatchObject({ state: 'stale', since: clock.time })
    server.items[0] = item(0, '30')
    server.changesRefusal = undefined
    await clock.pass(1_000)
    expect(live.page()).toMatchObject({ state: 'live', items: [item(0, '30'), item(1)] })
    // The whole list was asked for once: the server would read thousands of objects to refuse it again.
    expect(server.resumed).toEqual(['', ''])
  })

  it('waits one second after the first failure since its changes resumed', async () => {
    const { followed } = server
    for (let cut = 0; cut < 4; cut += 1) {
      server.tell(new Error('the stream was cut'))
      await clock.pass(1_000)
    }
    expect([server.followed - followed, live.page().state]).toEqual([4, 'live'])
  })

  it('reads the visible pages when changes may have been missed', async () => {
    server.tell({ type: 'START' })
    await settled()
    expect(server.asked).toEqual([1])
  })

  it('shows a deleted row that is listed again after changes may have been missed', async () => {
    server.tell(change(0, '12', 'DELETED'))
    server.tell({ type: 'START' })
    await clock.pass(60_000)
    expect(server.asked).toEqual([1, 1])
  })

  it('has state `read` while its changes are refused, and becomes live when they are accepted', async () => {
    live.stop()
    live = new LivePage(server, clock, 2)
    server.changesRefusal = new Error('not for you')
    live.start()
    await settled()
    expect(live.page()).toMatchObject({ state: 'read', items: [item(0), item(1)] })
    expect(live.page().problem?.message).toBe('not for you')
    server.changesRefusal = undefined
    await clock.pass(1_000)
    expect(live.page().state).toBe('live')
  })

  it('asks for nothing while it is stopped', async () => {
    server.tell(change(0, '12'))
    await settled()
    live.stop()
    await clock.pass(60_000)
    expect(server.asked).toEqual([])
    expect(live.page().state).toBe('stale')
  })
})
