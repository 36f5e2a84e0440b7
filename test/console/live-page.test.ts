import { beforeEach, describe, expect, it } from 'vitest'
import { LivePage } from '../../console/live/live-page.js'
import type { Change, RowChange, Source } from '../../console/live/source.js'
import { settled, TestClock } from './test-clock.js'

interface Item {
  readonly name: string
  readonly state: string
  readonly version?: string
}

/** A server with a list and a watch of it, as the management API behaves. */
class TestServer implements Source<Item> {
  items: Item[] = []
  lists = 0
  listing: Promise<void> = Promise.resolve()
  listFails = false
  readonly resumed: string[] = []
  #push: ((change: Change<Item> | Error) => void) | undefined
  keyOf = ({ name }: Item) => name

  readonly asked: number[] = []

  async list({ page, pageSize }: { page: number; pageSize: number }, signal: AbortSignal) {
    this.lists += 1
    this.asked.push(page)
    const items = this.items.slice((page - 1) * pageSize, page * pageSize)
    const total = this.items.length
    await this.listing
    signal.throwIfAborted()
    if (this.listFails) throw new Error('the list failed')
    return { items, total }
  }

  /** What refuses a watch. */
  refusal: Error | undefined
  /** What refuses its stream of changes alone. */
  changesRefusal: Error | undefined
  /** How often that was begun. */
  followed = 0
  #tell: ((change: RowChange | Error) => void) | undefined

  async *changes(signal: AbortSignal): AsyncGenerator<RowChange> {
    this.followed += 1
    if (this.changesRefusal) throw this.changesRefusal
    const queue: (RowChange | Error)[] = [{ type: 'START' }]
    let wake: () => void = () => undefined
    this.#tell = change => {
      queue.push(change)
      wake()
    }
    signal.addEventListener('abort', () => wake())
    for (;;) {
      if (signal.aborted) throw signal.reason
      const next = queue.shift()
      if (next instanceof Error) throw next
      if (next) yield next
      else
        await new Promise<void>(resolve => {
          wake = resolve
        })
    }
  }

  /** A change that the stream of changes alone tells. */
  tell(change: RowChange | Error): void {
    this.#tell?.(change)
  }

  async *watch(resumeToken: string, signal: AbortSignal): AsyncGenerator<Change<Item>> {
    this.resumed.push(resumeToken)
    if (this.refusal) throw this.refusal
    const queue: (Change<Item> | Error)[] = []
    let wake: () => void = () => undefined
    this.#push = change => {
      queue.push(change)
      wake()
    }
    signal.addEventListener('abort', () => wake())
    if (resumeToken === '') queue.push(this.#sent('RESET'))
    queue.push(this.#sent('BOOKMARK', undefined, 't1'))
    for (;;) {
      if (signal.aborted) throw signal.reason
      const next = queue.shift()
      if (next instanceof Error) throw next
      if (next) yield next
      else
        await new Promise<void>(resolve => {
          wake = resolve
        })
    }
  }

  /** A change of the list, which its watch sends. */
  change(type: Change<Item>['type'], item: Item, resumeToken = 't2'): void {
    this.#push?.(this.#sent(type, item, resumeToken))
  }

  break(): void {
    this.#push?.(new Error('the connection broke'))
  }

  #sent(type: Change<Item>['type'], item?: Item, resumeToken = ''): Change<Item> {
    return { type, total: this.items.length, resumeToken, ...(item && { item }) }
  }
}

let clock: TestClock
let server: TestServer
let live: LivePage<Item>
let shown: number

const north = { name: 'north', state: 'ready' }
const south = { name: 'south', state: 'ready' }
const west = { name: 'west', state: 'ready' }

beforeEach(async () => {
  clock = new TestClock()
  server = new TestServer()
  server.items = [north, south, west]
  live = new LivePage(server, clock, 2)
  shown = 0
  live.subscribe(() => {
    shown += 1
  })
  live.start()
  await settled()
})

describe('a live page', () => {
  it('shows the first page, and how many there are', () => {
    expect(live.page()).toMatchObject({ items: [north, south], total: 3, state: 'live' })
    expect(server.lists).toBe(1)
  })

  it('shows a change of an item that it shows, and asks for nothing', async () => {
    server.change('MODIFIED', { ...north, state: 'degraded' })
    await clock.pass(5_000)
    expect(live.page().items[0]).toEqual({ name: 'north', state: 'degraded' })
    expect(server.lists).toBe(1)
  })

  it('asks for the page again when an item comes or goes, once for many', async () => {
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

  it('shows how many there are at once', async () => {
    server.items = [north, south]
    server.change('DELETED', west)
    await settled()
    expect(live.page().total).toBe(2)
  })

  it('tells its readers of a flood of changes four times a second', async () => {
    const before = shown
    for (let n = 0; n < 100; n += 1) {
      server.change('MODIFIED', { ...north, state: `state ${n}` })
      await clock.pass(10)
    }
    expect(shown - before).toBeLessThanOrEqual(5)
    expect(live.page().items[0]).toEqual({ name: 'north', state: 'state 99' })
  })

  it('shows a change that came while its page was on its way, which may be older', async () => {
    let arrive: () => void = () => undefined
    server.listing = new Promise(resolve => {
      arrive = resolve
    })
    server.change('ADDED', west)
    await clock.pass(1_000)
    server.items = [{ ...north, state: 'degraded' }, south, west]
    server.change('MODIFIED', server.items[0]!)
    await settled()
    arrive()
    await clock.pass(1_000)
    expect(live.page().items[0]).toEqual({ name: 'north', state: 'degraded' })
  })

  it('says since when it is old where its stream broke, keeps what it shows, and resumes', async () => {
    await clock.pass(500)
    server.change('MODIFIED', north, 't7')
    await settled()
    server.break()
    await settled()
    expect(live.page()).toMatchObject({ state: 'stale', since: 1_500, items: [north, south] })
    expect(live.page().problem?.message).toBe('the connection broke')
    await clock.pass(1_000)
    expect(server.resumed).toEqual(['', 't7'])
    expect(live.page().state).toBe('live')
  })

  it('waits longer after each failure, up to half a minute', async () => {
    const times: number[] = []
    const failing = new LivePage<Item>(
      {
        ...server,
        keyOf: server.keyOf,
        list: (page, signal) => server.list(page, signal),
        // biome-ignore lint/correctness/useYield: it fails at once
        watch: async function* () {
          times.push(clock.time)
          throw new Error('refused')
        },
      },
      clock,
    )
    clock.time = 0
    failing.start()
    await clock.pass(110_000)
    failing.stop()
    expect(times).toEqual([0, 1_000, 3_000, 8_000, 18_000, 48_000, 78_000, 108_000])
  })

  it('tries again at once where what it waited for may be there', async () => {
    server.break()
    await settled()
    live.retry()
    await settled()
    expect([server.resumed.length, live.page().state]).toEqual([2, 'live'])
  })

  it('tries again when its list fails', async () => {
    server.listFails = true
    server.change('ADDED', west)
    await clock.pass(1_000)
    expect(live.page()).toMatchObject({ state: 'stale', items: [north, south] })
    server.listFails = false
    await clock.pass(1_000)
    expect(live.page().state).toBe('live')
  })

  it('waits longer after each failure of its list, and tries again at once when told to', async () => {
    server.listFails = true
    server.change('ADDED', west)
    await clock.pass(1_000)
    const first = server.lists
    await clock.pass(1_000 + 2_000 + 5_000 + 10_000 + 30_000)
    expect(server.lists - first).toBe(5)
    server.listFails = false
    live.retry()
    await settled()
    expect(live.page().state).toBe('live')
  })

  it('follows its list once, however often it is started', async () => {
    live.start()
    await settled()
    expect(server.resumed).toEqual([''])
  })

  it('resumes after the last change that can be resumed after', async () => {
    server.change('MODIFIED', north, 't7')
    server.change('MODIFIED', north, '')
    await settled()
    server.break()
    await clock.pass(1_000)
    expect(server.resumed).toEqual(['', 't7'])
  })

  it('asks for nothing while it is stopped, and goes on where it was', async () => {
    server.change('MODIFIED', north, 't9')
    await settled()
    await clock.pass(2_000)
    live.stop()
    const { lists } = server
    live.look(2, 3)
    await clock.pass(60_000)
    expect([server.lists, server.resumed.length]).toEqual([lists, 1])
    live.look(0, 1)
    expect(live.page()).toMatchObject({ state: 'stale', since: 3_000, items: [north, south] })
    live.start()
    await settled()
    expect(server.resumed).toEqual(['', 't9'])
    expect(live.page().state).toBe('live')
  })

  describe('of a long list', () => {
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

    it('reads the pages in sight that it does not have', async () => {
      live.look(0, 3)
      await clock.pass(100)
      expect(server.asked).toEqual([2])
      expect(rows(0, 3)).toEqual(['item 0', 'item 1', 'item 2', 'item 3'])
    })

    it('asks for nothing that a reader scrolls past', async () => {
      for (let first = 0; first < 150; first += 10) {
        live.look(first, first + 1)
        await clock.pass(5)
      }
      live.look(180, 181)
      await clock.pass(100)
      expect(server.asked).toEqual([91])
      expect(rows(180, 181)).toEqual(['item 180', 'item 181'])
    })

    it('gives up a page on its way that is out of sight', async () => {
      let arrive: () => void = () => undefined
      server.listing = new Promise(resolve => {
        arrive = resolve
      })
      live.look(100, 101)
      await clock.pass(100)
      live.look(180, 181)
      arrive()
      await clock.pass(100)
      expect(rows(100, 101)).toEqual([undefined, undefined])
      expect(rows(180, 181)).toEqual(['item 180', 'item 181'])
      expect(live.page().state).toBe('live')
    })

    it('keeps twenty pages, and drops those that are far away', async () => {
      for (let first = 0; first < 100; first += 2) {
        live.look(first, first + 1)
        await clock.pass(100)
      }
      expect([...live.page().pages.keys()]).toEqual(Array.from({ length: 20 }, (_, n) => 31 + n))
    })

    it('shows a change of a row on a page that is kept', async () => {
      live.look(2, 3)
      await clock.pass(100)
      server.change('MODIFIED', { name: 'item 0', state: 'degraded' })
      await settled()
      expect(live.page().pages.get(1)?.rows[0]).toEqual({ name: 'item 0', state: 'degraded' })
    })

    it('asks for nothing when a row that it does not have changes, where rows stay where they are', async () => {
      Object.assign(server, { isStable: true })
      server.change('MODIFIED', { name: 'item 150', state: 'degraded' })
      await clock.pass(5_000)
      expect(server.asked).toEqual([])
      Object.assign(server, { isStable: false })
      server.change('MODIFIED', { name: 'item 150', state: 'degraded' })
      await clock.pass(5_000)
      expect(server.asked).toEqual([1])
    })

    it('reads what is in sight again when rows come or go, and forgets the rest, which has moved', async () => {
      live.look(2, 3)
      await clock.pass(100)
      server.items = [{ name: 'first', state: 'ready' }, ...server.items]
      server.change('ADDED', server.items[0]!)
      await clock.pass(1_000)
      expect([...live.page().pages.keys()]).toEqual([2])
      expect(rows(2, 3)).toEqual(['item 1', 'item 2'])
    })

    it('asks for no page after the last one', async () => {
      live.look(196, 220)
      await clock.pass(100)
      expect(server.asked).toEqual([99, 100])
    })

    it('shows a list that is too long to be followed as it was read, and tries no more by itself', async () => {
      live.stop()
      Object.assign(server, { changes: undefined })
      server.refusal = Object.assign(new Error('more than 10000'), { reason: 'ListTooLarge' })
      live.start()
      await clock.pass(1_000)
      expect(live.page()).toMatchObject({ state: 'read', total: 200, since: clock.time - 1_000 })
      live.look(20, 21)
      await clock.pass(3_600_000)
      expect(rows(20, 21)).toEqual(['item 20', 'item 21'])
      expect(server.resumed).toHaveLength(2)
      server.refusal = undefined
      live.readAgain()
      await clock.pass(1_000)
      expect(live.page().state).toBe('live')
    })
  })

  it('reads what is looked at while its stream is broken, and does not call it live', async () => {
    server.items = Array.from({ length: 20 }, (_, n) => ({ name: `item ${n}`, state: 'ready' }))
    server.change('ADDED', server.items[0]!)
    await clock.pass(1_000)
    server.refusal = new Error('away')
    server.break()
    await settled()
    live.look(4, 5)
    await clock.pass(100)
    expect(live.page()).toMatchObject({ items: [{ name: 'item 4' }, { name: 'item 5' }], state: 'stale' })
  })

  describe('whose pages are from an index that is behind its watch', () => {
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

    it('keeps a change that it has shown', async () => {
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

    it('reads again what has come and is not there yet, after longer and longer pauses, and not for ever', async () => {
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

  describe('of a list that is too long for its watch', () => {
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

    it('is live by its changes alone, and says when it was counted', async () => {
      expect(live.page()).toMatchObject({ state: 'live', total: 200, countedAt: clock.time })
      expect(live.page().items).toEqual([item(0), item(1)])
      await clock.pass(3_600_000)
      expect(server.asked).toEqual([])
    })

    it('reads a row in sight again within a second of its change, once for many', async () => {
      server.items[1] = item(1, '12')
      for (const version of ['11', '12']) server.tell(change(1, version))
      await clock.pass(999)
      expect(server.asked).toEqual([])
      await clock.pass(1)
      expect(server.asked).toEqual([1])
      expect(live.page().items[1]).toEqual(item(1, '12'))
    })

    it('asks for nothing when a row changes that the browser does not have', async () => {
      server.tell(change(150, '11'))
      await clock.pass(60_000)
      expect(server.asked).toEqual([])
    })

    it('reads again within five seconds when rows come or go that are not in sight, once for a thousand a second', async () => {
      server.items = [item(-1), ...server.items]
      for (let n = 0; n < 10_000; n += 1) {
        server.tell(change(1_000 + n, '11', n % 2 ? 'ADDED' : 'DELETED'))
        if (n % 100 === 0) await clock.pass(100)
      }
      expect(server.asked.length).toBeLessThanOrEqual(2)
      await clock.pass(5_000)
      expect(live.page()).toMatchObject({ total: 201, items: [item(-1), item(0)], countedAt: clock.time })
    })

    it('does not wait five seconds for a row in sight because others came before', async () => {
      server.tell(change(150, '11', 'ADDED'))
      server.tell(change(0, '12', 'DELETED'))
      server.items = server.items.slice(1)
      await clock.pass(1_000)
      expect(live.page().items[0]).toEqual(item(1))
    })

    it('reads again what an index answered before it knew of the change', async () => {
      server.tell(change(1, '9999999999999999999'))
      await clock.pass(1_000 + 1_000)
      expect(server.asked).toEqual([1, 1])
      server.items[1] = item(1, '9999999999999999999')
      await clock.pass(2_000)
      expect(live.page().items[1]).toEqual(server.items[1])
      await clock.pass(60_000)
      expect(server.asked).toEqual([1, 1, 1])
    })

    it('reads a row again that changed while its page was on its way', async () => {
      let arrive: () => void = () => undefined
      server.listing = new Promise(resolve => {
        arrive = resolve
      })
      live.look(10, 11)
      await clock.pass(100)
      server.items[10] = item(10, '12')
      server.tell(change(10, '12'))
      await settled()
      arrive()
      await clock.pass(1_000)
      expect(live.page().items[0]).toEqual(item(10, '12'))
    })

    it('says since when it is old where its stream broke, and reads what is in sight when it goes on', async () => {
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

    it('reads what is in sight when changes may have been missed', async () => {
      server.tell({ type: 'START' })
      await settled()
      expect(server.asked).toEqual([1])
    })

    it('shows it as it was read where its changes are refused, and becomes live when they are not any more', async () => {
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
})
