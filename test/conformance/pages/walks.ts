import { expect, it } from 'vitest'

/** One page of a list, and where it is from. */
export interface WalkedPage {
  readonly names: readonly string[]
  readonly total: number
  /** The token of the next page; absent on the last one. */
  readonly next?: string
  readonly source: string
}

/** A namespace of an instance whose ConfigMaps are listed over REST, and written past Kairship. */
export interface WalkedWorld {
  page(query: Readonly<Record<string, string>>): Promise<WalkedPage>
  create(name: string): Promise<void>
  remove(name: string): Promise<void>
  /** Waits until it is true. */
  eventually(what: string, look: () => Promise<boolean>): Promise<unknown>
}

const PAGE = 5
/** Objects that are there all the while, and others that are deleted, in turn. */
const OBJECTS = 24
/** Far more than a walk needs: two objects come for each page of five. */
const MOST_PAGES = 60
/** PostgreSQL sorts hyphens otherwise where its collation is that of a language. */
const BEGINNINGS = ['a-b', 'ab', 'abc', 'a-bc']

/** A list that is walked by its page tokens while objects come and go. */
class Walk {
  readonly present = new Set<string>()
  readonly staying: readonly string[]
  readonly seen: string[] = []
  readonly sources = new Set<string>()

  constructor(
    readonly world: WalkedWorld,
    /** Where the names of its objects begin, and of no others. */
    readonly prefix: string,
    readonly order: Readonly<Record<string, string>>,
  ) {
    const names = Array.from({ length: OBJECTS }, (_, at) => `${prefix}-${BEGINNINGS[at % 4]}-${at}`)
    this.staying = names.filter((_, at) => at % 3 > 0)
    for (const name of names) this.present.add(name)
  }

  async run(): Promise<void> {
    for (const name of this.present) await this.world.create(name)
    await this.#isShown()
    let pageToken = ''
    for (let number = 1; number <= MOST_PAGES; number += 1) {
      const { names, next, source } = await this.#page({ pageSize: String(PAGE), pageToken })
      this.seen.push(...names)
      this.sources.add(source)
      if (next === undefined) return
      pageToken = next
      await this.#change(names, number)
    }
    throw new Error(`no end after ${MOST_PAGES} pages: ${this.seen.join(' ')}`)
  }

  #page(query: Readonly<Record<string, string>>): Promise<WalkedPage> {
    const given = Object.entries(query).filter(([, value]) => value !== '')
    return this.world.page({ name: `${this.prefix}-`, ...this.order, ...Object.fromEntries(given) })
  }

  /** Deletes one object of the page, its last where that may go, and one that is still to come; creates one at either end. */
  async #change(page: readonly string[], number: number): Promise<void> {
    const mayGo = (name: string) => this.present.has(name) && !this.staying.includes(name)
    const before = [...page].reverse().find(mayGo)
    const after = [...this.present].find(name => mayGo(name) && !this.seen.includes(name))
    for (const name of [before, after]) if (name !== undefined) await this.#remove(name)
    for (const name of [`${this.prefix}-a-a-${number}`, `${this.prefix}-z-${number}`]) {
      await this.world.create(name)
      this.present.add(name)
    }
    await this.#isShown()
  }

  async #remove(name: string): Promise<void> {
    await this.world.remove(name)
    this.present.delete(name)
  }

  /** Whether the list shows the changes: an index has them a moment later. */
  #isShown(): Promise<unknown> {
    return this.world.eventually('the list shows what was written', async () => {
      const { names } = await this.#page({})
      return names.length === this.present.size && names.every(name => this.present.has(name))
    })
  }
}

/** The claims about walks by page tokens, on any engine. */
export function itWalksByPageTokens(world: () => WalkedWorld): void {
  it.each([
    ['no order', {}],
    ['names', { sortBy: 'field_name', sortDir: 'asc' }],
    ['names, descending', { sortBy: 'field_name', sortDir: 'desc' }],
    ['creation', { sortBy: 'created_at', sortDir: 'asc' }],
    ['creation, descending', { sortBy: 'created_at', sortDir: 'desc' }],
  ])('by %s shows each object once that is there all the while, and none twice', async (of, order) => {
    const walk = new Walk(world(), `w-${of.replaceAll(/\W/g, '')}`, order)
    await walk.run()
    expect(walk.seen.filter(name => walk.staying.includes(name)).sort()).toEqual([...walk.staying].sort())
    expect(walk.seen.filter((name, at) => walk.seen.indexOf(name) !== at)).toEqual([])
    expect([...walk.sources]).toContain('index')
  })
}
