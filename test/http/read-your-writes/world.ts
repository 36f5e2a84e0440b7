import { requestInfo } from '../../../http/proxy/route/request-info.js'
import { writeOf } from '../../../http/proxy/write-observer.js'
import type { CatchUp, ObjectSource } from '../../../http/read-your-writes/catch-up.js'
import { isAtOrAfter } from '../../../http/read-your-writes/expectation.js'
import type { InstanceCaller, Scope, WrittenType } from '../../../http/read-your-writes/expected-write.js'
import type { PendingWrite } from '../../../http/read-your-writes/ledger.js'
import type { Outcome } from '../../../http/read-your-writes/outcome.js'
import type { ShownItem, ShownList } from '../../../http/read-your-writes/shown-list.js'
import { spelled, targetOf } from './spelling.js'
import { WorldObjects } from './world-objects.js'
import {
  isContainer,
  type Kind,
  keyOf,
  PLAIN,
  type Spelling,
  type TypeName,
  types,
  type Verb,
} from './world-types.js'

interface Sent {
  readonly verb: Verb
  readonly namespace: string
  readonly name: string
  /** Absent where the proxy remembers nothing. */
  readonly pending: PendingWrite | undefined
  readonly execute: () => Outcome
  executed: Outcome | undefined
  /** Its answer was lost, and it may yet be executed. */
  lost: boolean
}

/**
 * An instance, its index, and callers who write and read: an independent model of what must hold. Every state that an
 * object ever had is kept, so that it can be said whether what a read shows is older than what its caller wrote. Paths are
 * read as the proxy reads them; what they mean is known here before they are spelled.
 */
export class World {
  readonly objects: WorldObjects
  /** Called whenever somebody looks: others do something in between. */
  meanwhile: () => void = () => undefined
  readonly read: string[] = []
  #uid = 0
  readonly #own = new Map<string, number>()
  /** Callers who deleted a container that is still on its way out, by its key. */
  readonly #deleters = new Map<string, Set<string>>()
  readonly #sent: Sent[] = []
  /** Replicas by number, and at which one each caller is. */
  readonly #replicas: CatchUp[] = []
  readonly #at = new Map<string, number>()

  /**
   * @param replica starts one, which knows nothing of what went through others
   * @param remembered what the proxy reads from a request
   */
  constructor(
    readonly kind: Kind,
    private readonly replica: (world: World) => CatchUp,
    private readonly remembered = asTheProxy,
  ) {
    this.objects = new WorldObjects(kind)
  }

  /** A caller comes to the next replica, where it has not been. What it wrote until then is its own there, too. */
  move(user: string): void {
    const before = this.#caller(user)
    this.#at.set(user, (this.#at.get(user) ?? 0) + 1)
    for (const [key, version] of [...this.#own])
      if (key.startsWith(`${before} `)) this.#own.set(this.#caller(user) + key.slice(before.length), version)
    for (const deleters of this.#deleters.values()) if (deleters.has(before)) deleters.add(this.#caller(user))
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

  readonly instance: ObjectSource = {
    list: async (of, where) => {
      this.meanwhile()
      if (!this.objects.isServed(of)) return { items: [] }
      const items = [...this.objects.places(of, where)].flatMap(key => this.objects.now(key).item ?? [])
      return { items, resourceVersion: String(this.objects.version) }
    },
  }

  readonly index: ObjectSource = {
    list: async (of, where): Promise<ShownList> => {
      this.meanwhile()
      const items = [...this.objects.places(of, where)].flatMap(key => this.objects.shown(key).item ?? [])
      if (this.kind === 'unordered') return { items }
      if (this.objects.cursor === undefined) return { items: [] }
      return { items, resourceVersion: String(this.objects.cursor) }
    },
    hasCaughtUp: time => this.objects.hasCaughtUp(time),
  }

  /** Sends a write, which is executed and answered when the world says so. */
  send(user: string, verb: Verb, typeName: TypeName, namespace: string, name: string, how = PLAIN): void {
    const type = types[typeName]
    const place = { namespace: isContainer(typeName) ? '' : namespace, name }
    const caller = this.#caller(user)
    const deletes = verb === 'delete' || verb === 'deletecollection'
    const isReal = how.dryRun === 'no' || (deletes && how.dryRun === 'query and body')
    const execute = (): Outcome => {
      if (!isReal) return { kind: 'unread' }
      if (verb === 'deletecollection') return this.#deleteAll(caller, type, place.namespace)
      return verb === 'delete' ? this.#delete(caller, type, place) : this.#put(caller, verb, type, place)
    }
    const { method, path } = targetOf(verb, type, place)
    const target = `${spelled(path, how.encoded)}${how.dryRun === 'no' ? '' : '?dryRun=All'}`
    const write = this.remembered(method, target, !deletes || how.dryRun === 'query and body')
    const pending = write && this.#catchUp(user).ledger.begin(this.#party(user), write.type, write.request)
    this.#sent.push({ verb, ...place, pending, execute, executed: undefined, lost: false })
  }

  execute(which: number): void {
    const sent = this.#pick(which)
    if (sent) sent.executed ??= sent.execute()
  }

  /** The answer comes, or is lost on the way; one that was not executed yet may be executed within the next minute. */
  answer(which: number, how: 'whole' | 'unreadable' | 'lost'): void {
    const sent = this.#pick(which)
    if (!sent) return
    if (how !== 'lost') sent.executed ??= sent.execute()
    const { executed, pending } = sent
    if (how === 'lost') pending?.ended({ kind: 'lost' })
    else if (how === 'whole' || executed?.kind === 'refused') pending?.ended(executed as Outcome)
    else pending?.ended(unreadable(sent))
    sent.lost = true
    if (executed) this.#sent.splice(this.#sent.indexOf(sent), 1)
  }

  /** A write from its beginning to its end. */
  did(
    user: string,
    verb: Verb,
    type: TypeName,
    namespace: string,
    name: string,
    { answer = 'whole' as 'whole' | 'lost', ...how }: Partial<Spelling> & { answer?: 'whole' | 'lost' } = {},
  ): void {
    this.send(user, verb, type, namespace, name, { ...PLAIN, ...how })
    this.execute(this.#sent.length - 1)
    this.answer(this.#sent.length - 1, answer)
  }

  /** A controller goes one step on with a container that is being deleted: one of its objects, and at last itself. */
  collect(which: number): void {
    const keys = [...this.#deleters.keys()]
    const key = keys[which % Math.max(1, keys.length)]
    if (key === undefined) return
    const name = key.slice(key.lastIndexOf('/') + 1)
    const isInside = key.startsWith('namespaces ')
      ? (other: string) => other.includes(` ${name}/`)
      : (other: string) => other.startsWith('ships ')
    const inside = [...this.objects.history.keys()].find(
      other => isInside(other) && this.objects.now(other).item,
    )
    this.objects.version++
    this.objects.push(inside ?? key, undefined)
    // That its contents go is what the callers did. When it goes itself is up to whoever holds its finalizers.
    const callers = this.#deleters.get(key) ?? []
    if (inside === undefined) this.#deleters.delete(key)
    else for (const caller of callers) this.#own.set(`${caller} ${inside}`, this.objects.version)
  }

  /** Time passes. What was lost on the way is executed by then, or never. */
  pass(milliseconds: number): void {
    if (milliseconds >= 60_000)
      for (const sent of this.#sent.filter(({ lost }) => lost)) this.#sent.splice(this.#sent.indexOf(sent), 1)
    this.objects.pass(milliseconds)
  }

  get clock(): number {
    return this.objects.clock
  }

  /** A caller reads. Says what is older than what it wrote itself; undefined when all is well. */
  async reads(user: string, typeName: TypeName, scope: Scope): Promise<string | undefined> {
    const type = types[typeName]
    const caller = this.#party(user)
    if (this.kind === 'ordered' && this.objects.cursor === undefined && scope.name !== undefined)
      return undefined
    const before = new Map(this.#own)
    const catchUp = this.#catchUp(user)
    const shows = await catchUp.shows({ caller, type, scope }, this.index, this.instance)
    this.read.push(shows ? 'index' : 'karmada')
    if (!shows) return undefined
    if (this.kind === 'ordered' && scope.name === undefined) {
      // As the proxy does with the head of a list.
      const highest = catchUp.ledger.highest(caller, type)
      const version = this.objects.cursor === undefined ? undefined : String(this.objects.cursor)
      if (version === undefined || (highest !== undefined && !isAtOrAfter(version, highest))) return undefined
    }
    for (const [key, states] of this.objects.history) {
      if (!key.startsWith(`${type.resource} `)) continue
      const [namespace = '', name = ''] = key.slice(type.resource.length + 1).split('/')
      if (scope.name !== undefined && scope.name !== name) continue
      if (scope.namespace !== '' && scope.namespace !== namespace) continue
      const { item } = this.objects.shown(key)
      // Of an object that the index does not show, the instance is asked.
      if (scope.name !== undefined && !item) continue
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

  #party(user: string): InstanceCaller {
    return { instance: 'x', user }
  }

  #pick(which: number): Sent | undefined {
    return this.#sent[which % Math.max(1, this.#sent.length)]
  }

  #become(caller: string, key: string, item: ShownItem | undefined): void {
    this.objects.push(key, item)
    this.#own.set(`${caller} ${key}`, this.objects.version)
  }

  #put(caller: string, verb: 'create' | 'update', type: WrittenType, place: Required<Scope>): Outcome {
    const key = keyOf(type, place.namespace, place.name)
    const { item } = this.objects.now(key)
    if (!this.objects.isServed(type) || (verb === 'create') === (item !== undefined))
      return { kind: 'refused' }
    if (verb === 'create' && this.objects.isClosed(type, place.namespace)) return { kind: 'refused' }
    const resourceVersion = String(++this.objects.version)
    const uid = item?.uid ?? `uid-${++this.#uid}`
    this.#become(caller, key, { ...place, uid, resourceVersion, deleting: item?.deleting ?? false })
    return { kind: 'wrote', ...place, expected: { kind: 'present', resourceVersion } }
  }

  #delete(caller: string, type: WrittenType, place: Required<Scope>): Outcome {
    const key = keyOf(type, place.namespace, place.name)
    const { item } = this.objects.now(key)
    if (!item || !this.objects.isServed(type)) return { kind: 'refused' }
    if (type === types.namespaces || type === types.definitions) {
      const deleters = this.#deleters.get(key) ?? new Set()
      this.#deleters.set(key, deleters.add(caller))
      if (!item.deleting) {
        this.objects.version++
        this.#become(caller, key, { ...item, deleting: true, resourceVersion: String(this.objects.version) })
      }
      const resourceVersion = item.deleting ? item.resourceVersion : String(this.objects.version)
      return { kind: 'wrote', ...place, expected: { kind: 'present', resourceVersion } }
    }
    this.objects.version++
    this.#become(caller, key, undefined)
    // As most types answer: a Status with the uid.
    return { kind: 'wrote', ...place, expected: { kind: 'gone', uid: item.uid } }
  }

  #deleteAll(caller: string, type: WrittenType, namespace: string): Outcome {
    if (!this.objects.isServed(type)) return { kind: 'refused' }
    for (const key of this.objects.places(type, { namespace })) {
      const { item } = this.objects.now(key)
      if (item) this.#delete(caller, type, item)
    }
    return { kind: 'unread' }
  }
}

/** What the proxy remembers of a request. */
export const asTheProxy = (method: string, target: string, hasBody: boolean) =>
  writeOf(requestInfo(method, target), hasBody)

const unreadable = ({ namespace, name, verb }: Sent): Outcome =>
  verb === 'create' || verb === 'deletecollection'
    ? { kind: 'unread' }
    : { kind: 'wrote', namespace, name, expected: { kind: 'unknown' } }
