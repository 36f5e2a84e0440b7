import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../../http/errors/failure.js'
import { type Cursor, compareKeys, cursorAfter, isInOrder, type Order } from '../../../http/objects/cursor.js'
import { seek } from '../../../http/objects/list/seek.js'
import { pageOf } from '../../../http/objects/paging.js'

interface Item {
  readonly key: string
  readonly name: string
  /** Is there all the while. */
  readonly stays: boolean
}

/** What happens to a list: an item comes, one that does not stay goes, or all such of a key. */
type Change =
  | { readonly key: string; readonly name: string }
  | { readonly goes: number }
  | { readonly without: string }

const key = fc.constantFrom('a', 'b', 'c')
/** Names that are sorted otherwise by a language, which leaves hyphens out. */
const name = fc.stringMatching(/^[a-c][a-c-]{0,3}[a-c]$/)
const item = fc.record({ key, name, stays: fc.constantFrom(true, false, false) })
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ key, name }),
  fc.record({ goes: fc.nat({ max: 500 }) }),
  fc.record({ without: key }),
)
const changes = fc.array(change, { maxLength: 60, size: 'max' })

const plain = (text: string) => text.replaceAll('-', '')

/** A list that changes, and can be read by position, as of an index, or as a whole. */
class ChangingList {
  readonly items = new Map<string, Item>()
  /** Names that were there once: a later object of that name is another one. */
  readonly #used = new Set<string>()
  reads = 0
  /** What happens right after each read. */
  meanwhile: readonly Change[] = []

  constructor(
    readonly order: Order<Item>,
    readonly asALanguage: boolean,
  ) {}

  put(one: Item): void {
    if (this.#used.has(one.name)) return
    this.#used.add(one.name)
    this.items.set(one.name, one)
  }

  change(all: readonly Change[]): void {
    for (const one of all) {
      if ('name' in one) this.put({ ...one, stays: false })
      else {
        const passing = [...this.items.values()].filter(({ stays }) => !stays)
        if ('without' in one) {
          for (const { key, name } of passing) if (key === one.without) this.items.delete(name)
          continue
        }
        const gone = passing[one.goes % Math.max(1, passing.length)]
        if (gone) this.items.delete(gone.name)
      }
    }
  }

  whole(): readonly Item[] {
    const { keysOf, descending } = this.order
    return [...this.items.values()].sort((a, b) => compareKeys(keysOf(a), keysOf(b), descending))
  }

  /** In the order of the index. */
  indexed(): readonly Item[] {
    if (!this.asALanguage) return this.whole()
    const { descending } = this.order
    const keys = ({ key, name }: Item) => [key, plain(name), name]
    return [...this.items.values()].sort((a, b) => compareKeys(keys(a), keys(b), descending))
  }

  async read({ offset, limit }: { offset: number; limit: number }) {
    this.reads += 1
    const all = this.indexed()
    const items = all.slice(offset, offset + limit)
    const next = this.meanwhile[this.reads % Math.max(1, this.meanwhile.length)]
    if (next) this.change([next])
    // An index counts after it has read.
    return { items, remaining: this.items.size - offset - items.length }
  }
}

/** One page of a walk, from the index or as a whole; undefined where the list has to be read as a whole. */
async function pageAfter(
  list: ChangingList,
  size: number,
  after: Cursor | undefined,
  fromIndex: boolean,
): Promise<{ items: readonly Item[]; next?: Cursor }> {
  const { order } = list
  if (fromIndex && after) {
    const found = await seek(after, size, order, window => list.read(window))
    if (found) return found
  } else if (fromIndex) {
    const { items } = await list.read({ offset: 0, limit: size + 1 })
    const sorted = isInOrder(order, items) ? 'alike' : 'otherwise'
    const page = items.slice(0, size)
    return {
      items: page,
      ...(items.length > size && { next: cursorAfter(order, page, { offset: size, sorted }) }),
    }
  }
  return pageOf(list.whole(), { page: 1, pageSize: size, ...(after && { after }) }, order)
}

async function walk(
  list: ChangingList,
  size: number,
  between: readonly (readonly Change[])[],
  fromIndex: (page: number) => boolean,
): Promise<readonly Item[]> {
  const seen: Item[] = []
  let after: Cursor | undefined
  for (let page = 0; page < 1_000; page += 1) {
    const { items, next } = await pageAfter(list, size, after, fromIndex(page))
    expect(items.length).toBeLessThanOrEqual(size)
    seen.push(...items)
    if (!next) return seen
    after = next
    list.change(between[page % Math.max(1, between.length)] ?? [])
  }
  throw new Error('the walk has no end')
}

const names = (items: readonly Item[]) => items.map(one => one.name)
const staying = (items: Iterable<Item>) => names([...items].filter(({ stays }) => stays)).sort()

const lists = fc.record({
  items: fc.array(item, { maxLength: 120, size: 'max' }),
  size: fc.integer({ min: 1, max: 12 }),
  descending: fc.constantFrom(0, 1),
  between: fc.array(changes, { minLength: 1, maxLength: 6 }),
})

describe('a walk by cursors', () => {
  it('has each item that stays exactly once, and no other twice, from an index, from Karmada, and from one after the other', async () => {
    await fc.assert(
      fc.asyncProperty(
        lists,
        fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
        changes,
        async ({ items, size, descending, between }, sources, meanwhile) => {
          const list = new ChangingList({ keysOf: ({ key, name }) => [key, name], descending }, false)
          for (const one of items) list.put(one)
          const stay = staying(list.items.values())
          list.meanwhile = meanwhile
          const seen = await walk(list, size, between, page => sources[page % sources.length] ?? true)
          expect(staying(seen)).toEqual(stay)
          expect(new Set(names(seen)).size).toBe(seen.length)
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('has them once from an index that sorts as a language does, or is refused and starts over', async () => {
    let walked = 0
    await fc.assert(
      fc.asyncProperty(lists, async ({ items, size, descending, between }) => {
        const list = new ChangingList({ keysOf: ({ key, name }) => [key, name], descending }, true)
        // Its first page shows the order.
        for (const name of ['aaab', 'aa-c']) list.put({ key: descending ? 'd' : '', name, stays: true })
        for (const one of items) list.put(one)
        const stay = staying(list.items.values())
        let seen: readonly Item[]
        try {
          seen = await walk(list, Math.max(2, size), between, () => true)
        } catch (error) {
          expect(error).toBeInstanceOf(Failure)
          expect((error as Failure).code).toBe(11)
          return
        }
        walked += 1
        expect(staying(seen)).toEqual(stay)
        expect(new Set(names(seen)).size).toBe(seen.length)
      }),
      { numRuns: 1_000 },
    )
    expect(walked).toBeGreaterThan(500)
  })

  it('goes on in the order of an index where the last items of a page are gone, as long as one of five is there', async () => {
    const list = new ChangingList({ keysOf: ({ name }) => [name], descending: 0 }, true)
    for (const name of ['aaab', 'aa-c', 'ab', 'a-c', 'ad', 'a-e', 'af', 'a-g', 'ah'])
      list.put({ key: '', name, stays: false })
    const { next } = await pageAfter(list, 6, undefined, true)
    expect(next).toMatchObject({ sorted: 'otherwise', after: ['a-e'], offset: 6 })
    for (const name of ['a-c', 'ad', 'a-e', 'ab']) list.items.delete(name)
    expect(names((await pageAfter(list, 6, next, true)).items)).toEqual(['af', 'a-g', 'ah'])
    list.items.delete('aa-c')
    await expect(pageAfter(list, 6, next, true)).rejects.toMatchObject({ code: 11 })
    await expect(pageAfter(list, 6, next, false)).rejects.toMatchObject({ code: 11 })
  })

  it('does not go on in an index that sorts otherwise than the pages before', async () => {
    const order: Order<Item> = { keysOf: ({ name }) => [name], descending: 0 }
    const list = new ChangingList(order, true)
    for (const name of ['ab', 'a-c', 'ad', 'a-e']) list.put({ key: '', name, stays: true })
    const { next } = pageOf(list.whole(), { page: 1, pageSize: 1 }, order)
    expect(await seek(next!, 1, order, window => list.read(window))).toBeUndefined()
  })

  it('costs one read of an index for each page where little changes, and few where much does', async () => {
    const order: Order<Item> = { keysOf: ({ name }) => [name], descending: 0 }
    const list = new ChangingList(order, false)
    const put = (prefix: string, count: number) => {
      for (let n = 0; n < count; n += 1)
        list.put({ key: '', name: `${prefix}${String(n).padStart(5, '0')}`, stays: false })
    }
    put('m', 20_000)
    const first = await pageAfter(list, 50, undefined, true)
    put('a', 5)
    list.reads = 0
    const second = await pageAfter(list, 50, first.next, true)
    expect([names(second.items)[0], list.reads]).toEqual(['m00050', 1])
    put('b', 20_000)
    list.reads = 0
    const third = await pageAfter(list, 50, second.next, true)
    expect(names(third.items)[0]).toBe('m00100')
    expect(list.reads).toBeLessThan(20)
    for (const one of [...list.items.keys()]) if (!one.startsWith('m')) list.items.delete(one)
    list.reads = 0
    const fourth = await pageAfter(list, 50, third.next, true)
    expect(names(fourth.items)[0]).toBe('m00150')
    expect(list.reads).toBeLessThan(20)
  })

  it('ends where the list changes with every read', async () => {
    const order: Order<Item> = { keysOf: ({ name }) => [name], descending: 0 }
    const cursor: Cursor = { after: ['m'], offset: 1_000, sorted: 'alike', before: [] }
    let reads = 0
    const jumping = async () => {
      reads += 1
      return { items: [{ key: '', name: reads % 2 ? 'z' : 'a', stays: false }], remaining: 1_000 }
    }
    await expect(seek(cursor, 10, order, jumping)).rejects.toMatchObject({ code: 11 })
    expect(reads).toBe(40)
  })
})
