import { describe, expect, it } from 'vitest'
import { type Cursor, cursorAfter, type Order } from '../../../../http/objects/cursor.js'
import { seek, type Window } from '../../../../http/objects/list/seek.js'

const order: Order<string> = { keysOf: name => [name], descending: 0 }
const SIZE = 2
const names = (from: number, count: number, prefix = 'n') =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(from + index).padStart(6, '0')}`)
/** The cursor after the item at a position of a list, which was at another position when it was made. */
const cursorAt = (list: readonly string[], index: number, wasAt = index + 1): Cursor =>
  cursorAfter(order, [list[index] as string], { offset: wasAt, sorted: 'alike' })

/** An index over a list, and the windows that were read. `states` are the lists before each read; the last one stays. */
function index(...states: readonly (readonly string[])[]) {
  const windows: Window[] = []
  const read = async (window: Window) => {
    const list = states[Math.min(windows.length, states.length - 1)] ?? []
    windows.push(window)
    const { offset, limit } = window
    const items = list.slice(offset, offset + limit)
    return { items, remaining: list.length - offset - items.length }
  }
  return { read, windows }
}

describe('the page after a cursor', () => {
  it('is the last one where the list ends with it', async () => {
    const list = names(0, 30)
    const last = await seek(cursorAt(list, 27), SIZE, order, index(list).read)
    expect(last).toEqual({ items: list.slice(28), start: 28, total: 30 })
    const before = await seek(cursorAt(list, 26), SIZE, order, index(list).read)
    expect(before).toMatchObject({ items: list.slice(27, 29), next: { after: [list[28]] } })
  })

  it('is empty where everything after the cursor has gone', async () => {
    const list = names(0, 30)
    const page = await seek(cursorAt(list, 29), SIZE, order, index(list).read)
    expect(page).toEqual({ items: [], start: 30, total: 30 })
  })

  it('is not the last one because of a count that is too low, which an index takes after it has read', async () => {
    const list = names(0, 60)
    const { read, windows } = index(list)
    const tooLow = async (window: Window) => {
      const part = await read(window)
      return windows.length === 1 ? { ...part, remaining: 0 } : part
    }
    // The page is the end of the first window: nine came before it since its cursor was made.
    const page = await seek(cursorAt(list, 16, 8), SIZE, order, tooLow)
    expect(windows).toHaveLength(2)
    expect(page).toMatchObject({ items: list.slice(17, 19), next: { after: [list[18]] } })
  })

  it.each([
    ['thousands have come', names(0, 5_000, 'm')],
    ['as many have come as half of the list', names(0, 150, 'm')],
  ])('is found although %s before it while it was searched for', async (_, come) => {
    const list = names(0, 300)
    const grown = [...come, ...list]
    // The first look shows that the page is further to the front; before the second look it is further to the end.
    const { read, windows } = index(list, grown)
    const page = await seek(cursorAt(list, 150, 220), SIZE, order, read)
    expect(page?.items).toEqual(list.slice(151, 153))
    expect(windows.length).toBeLessThan(30)
  })

  it.each([
    ['thousands have gone', 5_000],
    ['a hundred have gone', 100],
  ])('is found although %s before it while it was searched for', async (_, gone) => {
    const list = names(0, 5_300)
    const shrunk = list.slice(gone)
    // The first look shows that the page is further to the end; before the second look it is further to the front.
    const { read, windows } = index(list, shrunk)
    const page = await seek(cursorAt(list, 5_200, 5_100), SIZE, order, read)
    expect(page?.items).toEqual(list.slice(5_201, 5_203))
    expect(windows.length).toBeLessThan(30)
  })
})
