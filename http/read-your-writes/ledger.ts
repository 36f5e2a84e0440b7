import { type CallerLimits, CallerWrites } from './caller-writes.js'
import { combined, type Expectation, later } from './expectation.js'
import {
  type Container,
  type DeletedContents,
  type Entry,
  type ExpectedWrite,
  type ExpectedWrites,
  type InstanceCaller,
  type Scope,
  typeKey,
  type WrittenType,
} from './expected-write.js'
import type { Outcome, WriteRequest } from './outcome.js'
import type { TypeWrites } from './type-writes.js'

/** A write that was begun. */
export interface PendingWrite {
  /** Says once what became of it. */
  ended(outcome: Outcome): void
}

/** The host cluster among the instances of the ledger; the others are uids. */
export const HOST_CLUSTER = 'host'

/** How long after its answer was lost a write may still be executed, milliseconds: a kube-apiserver gives a request a minute. */
export const LOST_FOR_MS = 65_000

/** How much is remembered one by one. */
export interface LedgerLimits extends CallerLimits {
  /** Callers of an instance; beyond it, the one who wrote least recently is forgotten, and anybody may have written something. */
  readonly callers: number
}

/** Some 60 MB for an instance if all of it were in use: 500 callers who each write 400 objects and never read them. */
const LIMITS: LedgerLimits = { objects: 100, types: 64, entries: 400, containers: 32, callers: 500 }
/** A group is a DNS name. What is longer names no type and no object that an API server stores. */
const LONGEST_NAME = 253
/** Callers that are looked at for one that can be forgotten, after each write. */
const TRIES = 4

/** What the ledger knew of an expected write when the search began whether it was seen. */
export interface Revision {
  /** Of the entry: something else holds once it has changed. */
  readonly entry: number
  /** Of the ledger. */
  readonly ledger: number
}

interface InstanceWrites {
  /** By user, the one who wrote least recently first. */
  readonly callers: Map<string, CallerWrites>
  /** What callers wrote who are forgotten. */
  readonly forgotten: CallerWrites
}

/**
 * Remembers what was written through this replica and was not yet seen in the index, by whom. Knows nothing of indexes: the
 * one who has seen something there says so. What there is no room for is remembered as something larger; a caller takes
 * room only from itself, and one instance none from another.
 */
export class WriteLedger {
  readonly #instances = new Map<string, InstanceWrites>()
  readonly #limits: LedgerLimits
  #sequence = 0

  /** @param now milliseconds of a clock that only goes forward */
  constructor(
    readonly now: () => number,
    limits: Partial<LedgerLimits> = {},
  ) {
    this.#limits = { ...LIMITS, ...limits }
  }

  begin(caller: InstanceCaller, type: WrittenType, request: WriteRequest): PendingWrite {
    if (type.group.length > LONGEST_NAME || type.resource.length > LONGEST_NAME) return NOT_REMEMBERED
    const instance = this.#instanceOf(caller)
    const writes = this.#callerOf(instance, caller)
    const ofType = writes.begin(type)
    const entry = ofType.entryOf(scopeOf(request))
    const wasAlone = entry.underWay === 0
    const deletion = deletionOf(type, request)
    const deleted = deletion && writes.deleting(deletion.container, deletion.key)
    const sequence = ++this.#sequence
    entry.underWay++
    entry.sequence = sequence
    let over = false
    return {
      ended: outcome => {
        if (over) return
        over = true
        entry.underWay--
        deleted?.()
        if (outcome.kind === 'wrote') this.#wrote(ofType, entry, outcome, { sequence, wasAlone })
        else if (outcome.kind !== 'refused') this.#unknown(entry, outcome)
        if (deletion && outcome.kind !== 'refused')
          writes.deleted(deletion.container, deletion.key, this.#lastWrite(outcome))
        removeIfIdle(entry)
        const all = ofType.merge(this.#limits.objects)
        if (all) this.#expect(all, { kind: 'unknown' })
        writes.end(ofType, outcome.kind === 'refused' ? undefined : this.#lastWrite(outcome))
        this.#makeRoom(caller, instance, writes)
      },
    }
  }

  /** What a read could miss; undefined for nothing. */
  expectedWrites(caller: InstanceCaller, type: WrittenType, scope: Scope): ExpectedWrites | undefined {
    const instance = this.#instances.get(caller.instance)
    if (!instance) return undefined
    const written: ExpectedWrite[] = []
    const deleted: DeletedContents[] = []
    instance.callers.get(caller.user)?.collect(type, scope, written, deleted)
    instance.forgotten.collect(type, scope, written, deleted)
    return written.length + deleted.length > 0 ? { written, deleted } : undefined
  }

  /** The last version known to be written by a caller, seen or not: an index that shows an older state has started again. */
  highest({ instance, user }: InstanceCaller, type: WrittenType): string | undefined {
    const writes = this.#instances.get(instance)
    return later(writes?.callers.get(user)?.highest(type), writes?.forgotten.highest(type))
  }

  /** Forgets what was written to instances that are gone. The host cluster never is. */
  keepOnly(isThere: (instance: string) => boolean): void {
    for (const instance of this.#instances.keys())
      if (instance !== HOST_CLUSTER && !isThere(instance)) this.#instances.delete(instance)
  }

  /** To be taken before finding out about an expected write: the findings are ignored if something was written meanwhile. */
  revisionOf(write: ExpectedWrite): Revision {
    return { entry: revisionOf(write as Entry), ledger: this.#sequence }
  }

  /** The index has shown it. */
  markShown(write: ExpectedWrite, revision: Revision): void {
    const entry = write as Entry
    if (!isUnchanged(entry, revision)) return
    entry.expected = undefined
    removeIfIdle(entry)
  }

  /** It was read from the instance. */
  resolve(write: ExpectedWrite, revision: Revision, expected: Expectation): void {
    const entry = write as Entry
    if (!isUnchanged(entry, revision)) return
    if (entry.expected?.kind !== expected.kind) entry.since = this.now()
    entry.expected = expected
  }

  /** The instance named a version that is later than what was written. Returns whether that still holds. */
  setMinimumVersion(write: ExpectedWrite, revision: Revision, minimumVersion: string): boolean {
    const entry = write as Entry
    if (!isUnchanged(entry, revision)) return false
    Object.assign(entry, { minimumVersion, since: this.now(), checkedAt: revision.ledger })
    return true
  }

  /** The index has shown the object, in whatever state. */
  noteShownUid(write: ExpectedWrite, uid: string): void {
    ;(write as Entry).shownUid = uid
  }

  #wrote(
    writes: TypeWrites,
    began: Entry,
    { namespace, name, expected }: Extract<Outcome, { kind: 'wrote' }>,
    { sequence, wasAlone }: { readonly sequence: number; readonly wasAlone: boolean },
  ): void {
    const entry = began.name === undefined ? writes.entryOf(scopeOf({ namespace, name })) : began
    const isOrdered =
      entry.underWay === 0 &&
      (entry === began ? wasAlone && entry.sequence === sequence : entry.sequence < sequence)
    entry.sequence = ++this.#sequence
    const isCertain = entry.name !== undefined && entry.notBefore <= this.now()
    if (!isCertain) this.#expect(entry, { kind: 'unknown' })
    else this.#expect(entry, isOrdered ? expected : combined(entry.expected, expected))
    if (entry.name === undefined) entry.minimumVersion = undefined
    if (expected.kind === 'present') writes.highest = later(writes.highest, expected.resourceVersion)
  }

  #unknown(entry: Entry, { kind }: Outcome): void {
    entry.sequence = ++this.#sequence
    entry.minimumVersion = undefined
    if (kind === 'lost') entry.notBefore = this.now() + LOST_FOR_MS
    this.#expect(entry, { kind: 'unknown' })
  }

  #expect(entry: Entry, expected: Expectation): void {
    entry.expected = expected
    entry.since = this.now()
    entry.sequence = ++this.#sequence
  }

  #lastWrite({ kind }: Outcome) {
    const since = this.now()
    return { sequence: this.#sequence, since, notBefore: kind === 'lost' ? since + LOST_FOR_MS : 0 }
  }

  #instanceOf({ instance }: InstanceCaller): InstanceWrites {
    const found = this.#instances.get(instance) ?? {
      callers: new Map<string, CallerWrites>(),
      forgotten: new CallerWrites(this.#limits),
    }
    this.#instances.set(instance, found)
    return found
  }

  /** The caller is now the one who wrote last. */
  #callerOf({ callers }: InstanceWrites, { user }: InstanceCaller): CallerWrites {
    const found = callers.get(user) ?? new CallerWrites(this.#limits)
    callers.delete(user)
    callers.set(user, found)
    return found
  }

  #makeRoom(
    { instance, user }: InstanceCaller,
    { callers, forgotten }: InstanceWrites,
    writes: CallerWrites,
  ) {
    if (writes.isIdle && writes.isEmpty && callers.get(user) === writes) callers.delete(user)
    for (let tries = 0; tries < TRIES && callers.size > this.#limits.callers; tries++) {
      const [oldest] = callers
      if (!oldest) break
      callers.delete(oldest[0])
      if (oldest[1].isIdle) forgotten.takeOver(oldest[1])
      else callers.set(...oldest)
    }
    const isEmpty = callers.size === 0 && forgotten.isEmpty
    if (isEmpty && this.#instances.get(instance)?.callers === callers) this.#instances.delete(instance)
  }
}

const NOT_REMEMBERED: PendingWrite = { ended: () => undefined }

/** Types whose objects take others along, and under which key those are remembered. */
const containers: Readonly<
  Record<string, readonly ['namespace' | 'definition', (name: string) => string] | undefined>
> = {
  '/namespaces': ['namespace', name => name],
  'apiextensions.k8s.io/customresourcedefinitions': [
    'definition',
    // A definition is called `<plural>.<group>`.
    name => typeKey({ group: name.slice(name.indexOf('.') + 1), resource: name.split('.', 1)[0] ?? '' }),
  ],
}

/** Deleting namespaces or definitions of types deletes other objects too. Undefined for any other write. */
function deletionOf(
  type: WrittenType,
  { verb, name }: WriteRequest,
): { readonly container: Container; readonly key: string } | undefined {
  if (verb !== 'delete' && verb !== 'deletecollection') return undefined
  const found = containers[typeKey(type)]
  if (!found) return undefined
  const [kind, keyOf] = found
  return name === undefined
    ? { container: { kind }, key: '' }
    : { container: { kind, name }, key: keyOf(name) }
}

/** What a write is remembered under: one object, or where only the answer says which, all that it may be. */
function scopeOf({ verb, namespace, name }: Partial<WriteRequest> & Scope): Scope {
  if (namespace.length > LONGEST_NAME) return { namespace: '' }
  if (verb === 'deletecollection' || name === undefined || name.length > LONGEST_NAME) return { namespace }
  return { namespace, name }
}

/** Of one of many, also what changed them all. */
const revisionOf = ({ sequence, kept }: Entry): number => Math.max(sequence, kept?.sequence ?? 0)

const isUnchanged = (entry: Entry, revision: Revision): boolean =>
  entry.underWay === 0 && revisionOf(entry) === revision.entry

/** What is neither under way nor expected is not worth remembering. */
function removeIfIdle(entry: Entry): void {
  if (entry.underWay === 0 && entry.expected === undefined) entry.kept?.remove(entry)
}
