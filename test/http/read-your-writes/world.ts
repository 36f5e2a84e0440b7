import type { CatchUp, Showing, ShownItem, ShownList } from '../../../http/read-your-writes/catch-up.js'
import type { Extent, Party } from '../../../http/read-your-writes/due.js'
import { isAtOrAfter } from '../../../http/read-your-writes/expectation.js'
import type { PendingWrite } from '../../../http/read-your-writes/ledger.js'
import type { Outcome, WriteRequest } from '../../../http/read-your-writes/outcome.js'

export const type = { group: '', version: 'v1', resource: 'configmaps' } as const
const namespaces = { group: '', version: 'v1', resource: 'namespaces' } as const

/** How an index takes changes in: one after the other and knowing how far, or each object at its own pace. */
export type Kind = 'ordered' | 'unordered'

/** The longest that anything takes to be shown by an index that does not say how far it is. */
const LONGEST_DELAY_MS = 3_000

interface State {
  /** The version at which the object became so. */
  readonly at: number
  readonly time: number
  readonly item: ShownItem | undefined
}

interface Sent {
  readonly user: string
  readonly request: WriteRequest
  readonly pending: PendingWrite[]
  readonly execute: () => Outcome
  executed: Outcome | undefined
}

/**
 * An instance, its index, and callers who write and read: an independent model of what must hold. Every state that an
 * object ever had is kept, so that it can be said whether what a read shows is older than what its caller wrote.
 */
export class World {
  clock = 1_000_000
  /** Called whenever somebody looks: others do something in between. */
  meanwhile: () => void = () => undefined
  readonly read: string[] = []
  #version = 7
  #uid = 0
  readonly #history = new Map<string, State[]>()
  /** How many states of each object the index has taken in. */
  readonly #taken = new Map<string, number>()
  /** The version up to which an ordered index shows everything; undefined while it has not listed. */
  #cursor: number | undefined = 7
  readonly #own = new Map<string, number>()
  readonly #sent: Sent[] = []
  /** Replicas by number, and at which one each caller is. */
  readonly #replicas: CatchUp[] = []
  readonly #at = new Map<string, number>()

  /** @param replica starts one, which knows nothing of what went through others */
  constructor(
    readonly kind: Kind,
    private readonly replica: (world: World) => CatchUp,
  ) {}

  /** A caller comes to the next replica, where it has not been. What it wrote until then is its own there, too. */
  move(user: string): void {
    const before = this.#caller(user)
    this.#at.set(user, (this.#at.get(user) ?? 0) + 1)
    for (const [key, version] of [...this.#own])
      if (key.startsWith(`${before} `)) this.#own.set(this.#caller(user) + key.slice(before.length), version)
  }

  #catchUp(user: string): CatchUp {
    const at = this.#at.get(user) ?? 0
    while (this.#replicas.length <= at) this.#replicas.push(this.replica(this))
    return this.#replicas[at] as CatchUp
  }

  /** A caller at a replica: what is still under way through the one before is not known at the next. */
  #caller(user: string): string {
    return `${user}@${this.#at.get(user) ?? 0}`
  }

  readonly instance: Showing = {
    list: async (of, where) => {
      this.meanwhile()
      const items = [...this.#places(of, where)].flatMap(key => this.#now(key).item ?? [])
      return { items, resourceVersion: String(this.#version) }
    },
  }

  readonly index: Showing = {
    list: async (of, where): Promise<ShownList> => {
      this.meanwhile()
      const items = [...this.#places(of, where)].flatMap(key => this.#shown(key).item ?? [])
      if (this.kind === 'unordered') return { items }
      if (this.#cursor === undefined) return { items: [] }
      return { items, resourceVersion: String(this.#cursor) }
    },
    isLongAgo: since => this.kind === 'unordered' && this.clock - since >= LONGEST_DELAY_MS,
  }

  /** Sends a write, which is executed and answered when the world says so. */
  send(
    user: string,
    verb: 'create' | 'update' | 'delete' | 'deletecollection',
    namespace: string,
    name: string,
  ): void {
    const request: WriteRequest = {
      verb,
      namespace,
      ...(verb !== 'create' && verb !== 'deletecollection' && { name }),
    }
    const caller = this.#caller(user)
    const execute = () =>
      verb === 'deletecollection'
        ? this.#sweep(caller, namespace)
        : this.#write(caller, verb, namespace, name)
    const pending = [this.#catchUp(user).ledger.begin(this.#party(user), type, request)]
    this.#sent.push({ user, request, pending, execute, executed: undefined })
  }

  execute(which: number): void {
    const sent = this.#pick(which)
    if (sent) sent.executed ??= sent.execute()
  }

  /** The answer comes, or is lost on the way; one that was not executed yet may be executed within the next minute. */
  answer(which: number, how: 'whole' | 'unreadable' | 'lost'): void {
    const sent = this.#pick(which)
    if (!sent) return
    const [pending] = sent.pending.splice(0)
    if (how !== 'lost') sent.executed ??= sent.execute()
    const { executed } = sent
    if (how === 'lost') pending?.ended({ kind: 'lost' })
    else if (how === 'whole' || executed?.kind === 'refused') pending?.ended(executed as Outcome)
    else pending?.ended(unreadable(sent.request))
    if (executed) this.#sent.splice(this.#sent.indexOf(sent), 1)
  }

  /** A write from its beginning to its end. */
  did(
    user: string,
    verb: 'create' | 'update' | 'delete',
    namespace: string,
    name: string,
    how: 'whole' | 'lost' = 'whole',
  ): void {
    this.send(user, verb, namespace, name)
    this.execute(this.#sent.length - 1)
    this.answer(this.#sent.length - 1, how)
  }

  /** Time passes. What was lost on the way is executed by then, or never. */
  pass(milliseconds: number): void {
    if (milliseconds >= 60_000) {
      const lost = this.#sent.filter(({ pending }) => pending.length === 0)
      for (const sent of lost) this.#sent.splice(this.#sent.indexOf(sent), 1)
    }
    this.clock += milliseconds
    // By what is known of its delays, nothing waits for longer.
    if (this.kind === 'unordered')
      for (const [key, states] of this.#history) {
        const old = states.filter(({ time }) => time <= this.clock - LONGEST_DELAY_MS).length
        this.#taken.set(key, Math.max(old, this.#taken.get(key) ?? 0))
      }
  }

  /** The index takes in the next change, or one object's next or latest. */
  advance(which: number): void {
    if (this.kind === 'unordered') {
      const keys = [...this.#history.keys()]
      const key = keys[which % Math.max(1, keys.length)]
      const states = (key !== undefined && this.#history.get(key)) || []
      const taken = this.#taken.get(key ?? '') ?? 0
      // Its next state or, where several wait, its last.
      if (key !== undefined && taken < states.length)
        this.#taken.set(key, which % 2 === 0 ? taken + 1 : states.length)
      return
    }
    if (this.#cursor === undefined) return
    const next = [...this.#history]
      .flatMap(([key, states]) => states.map((state, at) => ({ key, at, state })))
      .filter(({ state }) => state.at > (this.#cursor ?? 0))
      .sort((a, b) => a.state.at - b.state.at)[0]
    if (!next) return
    this.#taken.set(next.key, next.at + 1)
    this.#cursor = next.state.at
  }

  /** An ordered index starts again with nothing, and lists later; the other keeps what it has and takes everything in. */
  restart(): void {
    if (this.kind === 'ordered') {
      this.#taken.clear()
      this.#cursor = undefined
    } else this.#takeAll()
  }

  relist(): void {
    if (this.kind !== 'ordered' || this.#cursor !== undefined) return
    this.#takeAll()
    this.#cursor = this.#version
  }

  /** A caller reads. Says what is older than what it wrote itself; undefined when all is well. */
  async reads(user: string, extent: Extent): Promise<string | undefined> {
    const party = this.#party(user)
    if (this.kind === 'ordered' && this.#cursor === undefined && extent.name !== undefined) return undefined
    const before = new Map(this.#own)
    const catchUp = this.#catchUp(user)
    const shows = await catchUp.shows({ party, type, extent }, this.index, this.instance)
    this.read.push(shows ? 'index' : 'karmada')
    if (!shows) return undefined
    if (this.kind === 'ordered' && extent.name === undefined) {
      // As the door does with the head of a list.
      const highest = catchUp.ledger.highest(party, type)
      const version = this.#cursor === undefined ? undefined : String(this.#cursor)
      if (version === undefined || (highest !== undefined && !isAtOrAfter(version, highest))) return undefined
    }
    for (const [key, states] of this.#history) {
      const [namespace = '', name = ''] = key.split('/')
      if (extent.name !== undefined && extent.name !== name) continue
      if (extent.namespace !== '' && extent.namespace !== namespace) continue
      const { item } = this.#shown(key)
      // Of an object that the index does not show, the instance is asked.
      if (extent.name !== undefined && !item) continue
      const own = before.get(`${this.#caller(user)} ${key}`) ?? 0
      const isNewEnough = states.some(
        (state, at) =>
          (states[at + 1]?.at ?? Number.POSITIVE_INFINITY) > own &&
          state.item?.resourceVersion === item?.resourceVersion,
      )
      const neverThere = item === undefined && (states[0]?.at ?? 0) > own
      if (!isNewEnough && !neverThere)
        return `${user} wrote ${key} at ${own}, and sees ${item?.resourceVersion ?? 'nothing'}`
    }
    return undefined
  }

  #party(user: string): Party {
    return { instance: 'x', user }
  }

  #pick(which: number): Sent | undefined {
    return this.#sent[which % Math.max(1, this.#sent.length)]
  }

  #now(key: string): State {
    return this.#history.get(key)?.at(-1) ?? { at: 0, time: 0, item: undefined }
  }

  #shown(key: string): State {
    const taken = this.#taken.get(key) ?? 0
    return this.#history.get(key)?.[taken - 1] ?? { at: 0, time: 0, item: undefined }
  }

  #takeAll(): void {
    for (const [key, states] of this.#history) this.#taken.set(key, states.length)
  }

  #places(of: { readonly resource: string }, where: Parameters<Showing['list']>[1]): Set<string> {
    if (of.resource === namespaces.resource) return new Set()
    const keys = [...this.#history.keys()]
    if (where.names) {
      const names = new Set(where.names.map(({ name }) => name))
      return new Set(keys.filter(key => names.has(key.split('/')[1] ?? '')))
    }
    return new Set(keys.filter(key => !where.namespace || key.startsWith(`${where.namespace}/`)))
  }

  #become(caller: string, key: string, item: ShownItem | undefined): void {
    const states = this.#history.get(key) ?? []
    this.#history.set(key, states)
    states.push({ at: this.#version, time: this.clock, item })
    this.#own.set(`${caller} ${key}`, this.#version)
  }

  #write(caller: string, verb: 'create' | 'update' | 'delete', namespace: string, name: string): Outcome {
    const key = `${namespace}/${name}`
    const { item } = this.#now(key)
    if ((verb === 'create') === (item !== undefined)) return { kind: 'refused' }
    const resourceVersion = String(++this.#version)
    if (verb === 'delete') {
      this.#become(caller, key, undefined)
      // As most types answer: a Status with the uid.
      return { kind: 'wrote', namespace, name, expected: { kind: 'gone', uid: item?.uid ?? '' } }
    }
    const uid = item?.uid ?? `uid-${++this.#uid}`
    this.#become(caller, key, { namespace, name, uid, resourceVersion, deleting: false })
    return { kind: 'wrote', namespace, name, expected: { kind: 'present', resourceVersion } }
  }

  #sweep(caller: string, namespace: string): Outcome {
    for (const key of [...this.#history.keys()].filter(key => key.startsWith(`${namespace}/`))) {
      if (!this.#now(key).item) continue
      this.#version++
      this.#become(caller, key, undefined)
    }
    return { kind: 'unread' }
  }
}

const unreadable = ({ namespace, name, verb }: WriteRequest): Outcome =>
  name === undefined || verb === 'deletecollection'
    ? { kind: 'unread' }
    : { kind: 'wrote', namespace, name, expected: { kind: 'unknown' } }
