import {
  type Due,
  type Dues,
  type Entry,
  type Extent,
  entryKey,
  entryOf,
  forgetIdle,
  type Party,
  partyKey,
  type Remembered,
  recordKey,
  touches,
  typeKey,
  type WrittenType,
} from './due.js'
import { besides, type Expectation, later } from './expectation.js'
import type { Outcome, WriteRequest } from './outcome.js'

/** A write that has set out. */
export interface PendingWrite {
  /** Says once what became of it. */
  ended(outcome: Outcome): void
}

/** How long after its answer was lost a write may still be executed, milliseconds: a kube-apiserver gives a request a minute. */
export const LOST_FOR_MS = 65_000
/** How much is remembered in particular. */
export interface LedgerLimits {
  /** Objects of one caller and type; with one more they are all objects of the type. */
  readonly objects: number
  /** Callers times types; beyond it the one written least recently counts for everybody. */
  readonly records: number
}

/** Some 125 MB if all of it were in use, which takes 5,000 callers who write much of a type and never read it. */
const LIMITS: LedgerLimits = { objects: 100, records: 5_000 }
/** Deleted namespaces of one caller, and callers who deleted some; of more, the oldest are forgotten. */
const MOST_NAMESPACES = 256
/** Who stands for all callers. */
const EVERYBODY = ''

/** A namespace that was deleted, with what is due of each type since. */
interface Deleted {
  readonly notBefore: number
  readonly since: number
  readonly byType: Map<string, Entry>
}

/**
 * Remembers what was written through this replica and has not been seen in the index, by whom. Knows nothing of indexes:
 * who has seen something there says so. What there is no room for is remembered as something larger.
 */
export class WriteLedger {
  readonly #records = new Map<string, Remembered>()
  /** By party, then by namespace: what is due of each type, once it is asked for. */
  readonly #namespaces = new Map<string, Map<string, Deleted>>()
  #seq = 0

  /** @param now milliseconds of a clock that only goes forward */
  constructor(
    readonly now: () => number,
    private readonly limits: LedgerLimits = LIMITS,
  ) {}

  begin(party: Party, type: WrittenType, request: WriteRequest): PendingWrite {
    const record = this.#recordOf(party, type)
    const entry = entryOf(
      record,
      request.verb === 'deletecollection' || request.name === undefined
        ? { namespace: request.namespace }
        : (request as Required<WriteRequest>),
    )
    const wasAlone = entry.underWay === 0
    const seq = ++this.#seq
    entry.underWay++
    entry.seq = seq
    let over = false
    return {
      ended: outcome => {
        if (over) return
        over = true
        entry.underWay--
        if (outcome.kind === 'wrote') this.#wrote(record, entry, outcome, { seq, wasAlone })
        else if (outcome.kind !== 'refused') this.#unsure(entry, outcome)
        if (outcome.kind !== 'refused') this.#alsoGone(party, type, request, outcome)
        forgetIdle(entry)
        this.#makeRoom(record)
      },
    }
  }

  /** What a read could miss; undefined for nothing. */
  due(party: Party, type: WrittenType, extent: Extent): Dues | undefined {
    const written: Due[] = []
    for (const user of [party.user, EVERYBODY])
      for (const entry of this.#records.get(recordKey({ ...party, user }, type))?.entries.values() ?? [])
        if (touches(extent, entry)) written.push(entry)
    const namespaces: Due[] = []
    for (const [namespace, deleted] of this.#namespaces.get(partyKey(party)) ?? []) {
      if (!touches(extent, { namespace })) continue
      const contents = contentsOf(namespace, deleted, type)
      if (contents.expected) namespaces.push(contents)
    }
    return written.length + namespaces.length > 0 ? { written, namespaces } : undefined
  }

  /** The last version known to be written by a party, seen or not: what shows an older state has started again. */
  highest(party: Party, type: WrittenType): string | undefined {
    return this.#records.get(recordKey(party, type))?.highest
  }

  /**
   * What stands now for something that is due. What one finds out about it holds only as long as this does: `settle` and
   * `refine` do nothing once something was written meanwhile.
   */
  standOf(due: Due): number {
    return (due as Entry).seq
  }

  /** It was seen. */
  settle(due: Due, stand: number): void {
    const entry = due as Entry
    if (entry.seq !== stand || entry.underWay > 0) return
    entry.expected = undefined
    forgetIdle(entry)
  }

  /** The instance was asked what became of it. */
  refine(due: Due, stand: number, expected: Expectation): void {
    const entry = due as Entry
    if (entry.seq !== stand || entry.underWay > 0) return
    if (entry.expected?.kind !== expected.kind) entry.since = this.now()
    entry.expected = expected
  }

  /** The instance was asked for a version that is later than what was written. Says whether that still holds. */
  bound(due: Due, stand: number, upTo: string): boolean {
    const entry = due as Entry
    if (entry.seq !== stand || entry.underWay > 0) return false
    entry.upTo = upTo
    entry.since = this.now()
    return true
  }

  /** It was seen where it is looked for, in whatever state. */
  noteShown(due: Due, uid: string): void {
    ;(due as Entry).shownUid = uid
  }

  #wrote(
    record: Remembered,
    began: Entry,
    { namespace, name, expected }: Extract<Outcome, { kind: 'wrote' }>,
    { seq, wasAlone }: { readonly seq: number; readonly wasAlone: boolean },
  ): void {
    const entry = began.name === undefined ? entryOf(record, { namespace, name }) : began
    const isOrdered =
      entry.underWay === 0 && (entry === began ? wasAlone && entry.seq === seq : entry.seq < seq)
    entry.seq = ++this.#seq
    if (entry.notBefore > this.now()) this.#expect(entry, { kind: 'unknown' })
    else this.#expect(entry, isOrdered ? expected : besides(entry.expected, expected))
    if (expected.kind === 'present') record.highest = later(record.highest, expected.resourceVersion)
  }

  #unsure(entry: Entry, { kind }: Outcome): void {
    entry.seq = ++this.#seq
    entry.upTo = undefined
    if (kind === 'lost') entry.notBefore = this.now() + LOST_FOR_MS
    this.#expect(entry, { kind: 'unknown' })
  }

  #expect(entry: Entry, expected: Expectation): void {
    entry.expected = expected
    entry.since = this.now()
  }

  /** Deleting a namespace or the definition of a type deletes other objects too. */
  #alsoGone(
    party: Party,
    { group, resource }: WrittenType,
    { verb, name }: WriteRequest,
    { kind }: Outcome,
  ): void {
    if (verb !== 'delete' || name === undefined) return
    const notBefore = kind === 'lost' ? this.now() + LOST_FOR_MS : 0
    if (group === '' && resource === 'namespaces') {
      const deleted = this.#namespaces.get(partyKey(party)) ?? new Map<string, Deleted>()
      putLast(this.#namespaces, partyKey(party), deleted)
      putLast(deleted, name, { notBefore, since: this.now(), byType: new Map() })
    }
    if (group === 'apiextensions.k8s.io' && resource === 'customresourcedefinitions') {
      const [plural = '', ...rest] = name.split('.')
      const entry = entryOf(this.#recordOf(party, { group: rest.join('.'), resource: plural }), {
        namespace: '',
      })
      this.#unsure(entry, { kind: notBefore > 0 ? 'lost' : 'unread' })
    }
  }

  #recordOf(party: Party, type: WrittenType): Remembered {
    const key = recordKey(party, type)
    const record = this.#records.get(key) ?? { entries: new Map<string, Entry>(), highest: undefined }
    this.#records.delete(key)
    this.#records.set(key, record)
    return record
  }

  #makeRoom(record: Remembered): void {
    const objects = [...record.entries.values()].filter(
      ({ name, underWay }) => name !== undefined && underWay === 0,
    )
    if (objects.length > this.limits.objects) this.#merge(objects, record)
    if (this.#records.size <= this.limits.records) return
    for (const [key, oldest] of this.#records) {
      const [instance = '', user, group = '', resource = ''] = JSON.parse(key) as string[]
      const entries = [...oldest.entries.values()]
      if (user === EVERYBODY || entries.some(({ underWay }) => underWay > 0)) continue
      this.#records.delete(key)
      if (entries.length > 0)
        this.#merge(entries, this.#recordOf({ instance, user: EVERYBODY }, { group, resource }))
      return
    }
  }

  /** Forgets what was written in particular, and remembers instead that objects of the type were. */
  #merge(entries: readonly Entry[], into: Remembered): void {
    const all = entryOf(into, { namespace: '' })
    const versions = entries.map(({ expected, upTo }) =>
      expected?.kind === 'present' ? expected.resourceVersion : upTo,
    )
    const known =
      versions.every(version => version !== undefined) &&
      (all.expected === undefined || all.upTo !== undefined)
    const upTo = versions.reduce(later, all.upTo)
    this.#unsure(all, { kind: 'unread' })
    all.upTo = known ? upTo : undefined
    all.notBefore = Math.max(all.notBefore, ...entries.map(({ notBefore }) => notBefore))
    for (const entry of entries) entry.record.entries.delete(entryKey(entry))
  }
}

/** What is due of one type since its namespace was deleted; nothing expected once that was seen. */
function contentsOf(namespace: string, { notBefore, since, byType }: Deleted, type: WrittenType): Entry {
  const found = byType.get(typeKey(type))
  if (found) return found
  const entry = entryOf({ entries: new Map(), highest: undefined }, { namespace })
  byType.set(typeKey(type), Object.assign(entry, { expected: { kind: 'unknown' }, notBefore, since }))
  return entry
}

function putLast<T>(into: Map<string, T>, key: string, value: T): void {
  into.delete(key)
  into.set(key, value)
  const [oldest] = into.keys()
  if (into.size > MOST_NAMESPACES && oldest !== undefined) into.delete(oldest)
}
