import { beforeEach, describe, expect, it } from 'vitest'
import { ApiError } from '../../client/errors.js'
import { LivePage } from '../../console/live/live-page.js'
import { Code } from '../../transcoding/code.js'
import { type Item, north, south, startedPage, type TestServer, west } from './live-page-under-test.js'
import { settled, type TestClock } from './test-clock.js'

let clock: TestClock
let server: TestServer
let live: LivePage<Item>

beforeEach(async () => {
  ;({ clock, server, live } = await startedPage())
})

describe('a live page', () => {
  it('is stale since its stream broke, keeps its rows, and resumes', async () => {
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

  it('retries a denied stream once a minute, and at once on `readAgain`', async () => {
    server.refusal = new ApiError(Code.PERMISSION_DENIED, 'rolebindings is forbidden')
    server.listFails = server.refusal
    server.break()
    await clock.pass(1_000)
    const refused = server.resumed.length
    await clock.pass(59_000)
    expect([server.resumed.length, server.lists]).toEqual([refused, 1])
    await clock.pass(241_000)
    expect(server.resumed.length).toBe(refused + 5)
    expect(live.page().problem).toBe(server.refusal)
    server.refusal = server.listFails = undefined
    live.readAgain()
    await settled()
    expect(live.page().state).toBe('live')
  })

  it('resumes within a minute after the caller was given the right', async () => {
    server.refusal = new ApiError(Code.PERMISSION_DENIED, 'rolebindings is forbidden')
    server.break()
    await clock.pass(90_000)
    server.refusal = undefined
    await clock.pass(60_000)
    expect([live.page().state, live.page().problem]).toEqual(['live', undefined])
  })

  it('retries a denied list once a minute', async () => {
    server.listFails = new ApiError(Code.PERMISSION_DENIED, 'rolebindings is forbidden')
    server.change('ADDED', west)
    await clock.pass(59_000)
    expect([server.lists, live.page().state]).toEqual([2, 'stale'])
    await clock.pass(61_000)
    expect(server.lists).toBe(3)
    server.listFails = undefined
    live.retry()
    await settled()
    expect(live.page().state).toBe('live')
  })

  it('waits one second after the first failure since its stream resumed', async () => {
    for (let cut = 0; cut < 4; cut += 1) {
      server.break()
      await clock.pass(1_000)
    }
    expect([server.resumed.length, live.page().state]).toEqual([5, 'live'])
  })

  it('waits one second after the first failure since its list was read', async () => {
    for (let times = 0; times < 3; times += 1) {
      server.listFails = true
      server.change('ADDED', west)
      await clock.pass(1_000)
      server.listFails = undefined
      await clock.pass(1_000)
      expect(live.page().state, `${times}`).toBe('live')
    }
  })

  it('retries at once each time `retry` is called, also during an earlier pause', async () => {
    for (let cut = 0; cut < 5; cut += 1) {
      server.break()
      await clock.pass(400)
      live.retry()
      await settled()
    }
    expect([server.resumed.length, live.page().state, clock.timers]).toEqual([6, 'live', 0])
  })

  it('reads once more, not twice, when `retry` is called while its list is being read', async () => {
    server.listFails = true
    server.change('ADDED', west)
    await clock.pass(1_000)
    server.listFails = undefined
    const arrive = server.holdPages()
    await clock.pass(1_000)
    const { lists } = server
    live.retry()
    arrive()
    await clock.pass(60_000)
    expect([server.lists, live.page().state]).toEqual([lists, 'live'])
  })

  it('`retry` reads the stream at once', async () => {
    server.break()
    await settled()
    live.retry()
    await settled()
    expect([server.resumed.length, live.page().state]).toEqual([2, 'live'])
  })

  it('reads its list again after a failure', async () => {
    server.listFails = true
    server.change('ADDED', west)
    await clock.pass(1_000)
    expect(live.page()).toMatchObject({ state: 'stale', items: [north, south] })
    server.listFails = false
    await clock.pass(1_000)
    expect(live.page().state).toBe('live')
  })

  it('waits longer after each failure of its list, and retries at once on `retry`', async () => {
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

  it('keeps the pause after a failure of its list when rows come or go meanwhile', async () => {
    server.listFails = true
    server.change('ADDED', west)
    await clock.pass(1_000 + 1_000 + 2_000)
    const { lists } = server
    server.change('ADDED', west)
    await clock.pass(4_999)
    expect(server.lists).toBe(lists)
    await clock.pass(1)
    expect(server.lists).toBe(lists + 1)
  })

  it('reads pages that become visible while its stream is broken, and stays stale', async () => {
    server.items = Array.from({ length: 20 }, (_, n) => ({ name: `item ${n}`, state: 'ready' }))
    server.change('ADDED', server.items[0]!)
    await clock.pass(1_000)
    server.refusal = new Error('away')
    server.break()
    await settled()
    live.showRows(4, 5)
    await clock.pass(100)
    expect(live.page()).toMatchObject({ items: [{ name: 'item 4' }, { name: 'item 5' }], state: 'stale' })
  })
})
