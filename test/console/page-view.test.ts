import { beforeEach, describe, expect, it } from 'vitest'
import { PageView } from '../../console/live/page-view.js'
import { Pages } from '../../console/live/pages.js'
import { TestClock } from './test-clock.js'

let clock: TestClock
let view: PageView<string>
let shown: number

beforeEach(() => {
  clock = new TestClock()
  const begin = { pageSize: 2, showRows: () => undefined, readAgain: () => undefined }
  view = new PageView(begin, new Pages(row => row), () => ({ from: 1, to: 1 }), clock)
  shown = 0
  view.subscribe(() => {
    shown += 1
  })
})

describe('the view of a list', () => {
  it('has the time at which its state began', async () => {
    view.become('live')
    await clock.pass(500)
    view.become('live')
    expect(view.page()).toMatchObject({ state: 'live', since: 1_000 })
    view.become('stale')
    expect(view.page()).toMatchObject({ state: 'stale', since: 1_500 })
  })

  it('keeps its problem until it is live', () => {
    view.become('stale', { problem: new Error('away') })
    view.update({ total: 3 })
    expect(view.page().problem?.message).toBe('away')
    view.become('live')
    expect(view.page()).not.toHaveProperty('problem')
  })

  it('calls subscribers within a quarter of a second, once for all changes until then, and not after `stop`', async () => {
    view.change({ total: 1 })
    view.change({ total: 2 })
    await clock.pass(249)
    expect(shown).toBe(0)
    await clock.pass(1)
    expect(shown).toBe(1)
    view.change({ total: 3 })
    view.stop()
    await clock.pass(60_000)
    expect(shown).toBe(1)
    view.change({ total: 4 })
    await clock.pass(250)
    expect(shown).toBe(2)
  })
})
