import type { GroupVersionResource } from '../../manifests/kube.js'
import type { Arrivals } from './arrivals.js'
import { hasReached, isAtOrAfter, isMet, type Shown } from './expectation.js'
import type {
  Container,
  DeletedContents,
  ExpectedWrite,
  ExpectedWrites,
  InstanceCaller,
  Scope,
} from './expected-write.js'
import type { WriteLedger } from './ledger.js'
import { find, isNotUnderstood, isObject, isShown, keyOf, type ObjectWrite } from './object-write.js'
import type { ShownList } from './shown-list.js'

/** The index, or the instance itself, as a source of objects. */
export interface ObjectSource {
  /**
   * Objects of a type: all, those of a namespace, or those of some names (and then perhaps more).
   * @throws when it does not answer
   */
  list(
    type: GroupVersionResource,
    where: { readonly namespace?: string; readonly names?: readonly Pick<Shown, 'namespace' | 'name'>[] },
  ): Promise<ShownList>
  /** Of an index that does not say how far it is: whether by now it shows everything before a time of the ledger's clock. */
  readonly hasCaughtUp?: (time: number) => boolean
}

/** A read that could miss something. */
export interface Read {
  readonly caller: InstanceCaller
  readonly type: GroupVersionResource
  readonly scope: Scope
}

/** Names listed at once: an address holds so many at their longest. */
const NAMES_AT_ONCE = 24
/** Objects that one read looks up at the instance before it has looked at the index, and after. */
const LOOK_UPS_AT_ONCE = 8
/** What is not shown for so long may never be, because another caller wrote it since: the instance is read again. */
const LOOK_AGAIN_MS = 2_000
/** A comparison of a whole type that found the index behind is not repeated sooner. */
const COMPARE_AGAIN_MS = 2_000

/** Finds out whether an index shows what a caller has written. */
export class CatchUp {
  /** When the instance was last read for an expected write. */
  readonly #lookedUp = new WeakMap<ExpectedWrite, number>()

  /** @param arrivals absent where what callers wrote before they came here does not count */
  constructor(
    readonly ledger: WriteLedger,
    readonly arrivals?: Arrivals,
  ) {}

  /** What a read could miss; undefined for nothing. */
  expectedWrites({ caller, type, scope }: Read): ExpectedWrites | undefined {
    const expected = this.ledger.expectedWrites(caller, type, scope)
    const elsewhere = this.arrivals?.expected(caller, type)
    if (!elsewhere) return expected
    return { written: [...(expected?.written ?? []), elsewhere], deleted: expected?.deleted ?? [] }
  }

  /**
   * Whether a read of the index would miss nothing that its caller wrote through this replica.
   * @throws whatever the index or the instance throw: then it is not known
   */
  async shows(read: Read, index: ObjectSource, instance: ObjectSource): Promise<boolean> {
    const expected = this.expectedWrites(read)
    if (!expected) return true
    if (this.isPending(read)) return false
    if (!(await this.#showsObjects(read, expected.written.filter(isObject), index, instance))) return false
    for (const write of expected.written)
      if (write.name === undefined && !(await this.#showsAll(read, write, index, instance))) return false
    for (const { container, contents } of expected.deleted)
      if (
        !(await this.#isDeleted({ container, contents }, instance)) ||
        !(await this.#showsAll(read, contents, index, instance))
      )
        return false
    return true
  }

  /** Whether a write that a read could miss is under way, or may yet be executed: then nothing is waited for. */
  isPending({ caller, type, scope }: Read): boolean {
    const { written = [], deleted = [] } = this.ledger.expectedWrites(caller, type, scope) ?? {}
    const now = this.ledger.now()
    const isPending = ({ underWay, notBefore }: ExpectedWrite) => underWay > 0 || now < notBefore
    return written.some(isPending) || deleted.some(({ contents }) => isPending(contents))
  }

  /**
   * Looks at an object in the index before it is deleted: its absence proves the deletion only if it was shown before.
   * @throws whatever the index throws; then deletions are only seen later
   */
  async look({ caller, type, scope }: Read, index: ObjectSource): Promise<void> {
    const writes = this.ledger.expectedWrites(caller, type, scope)?.written.filter(isObject) ?? []
    if (writes.length > 0) this.#noteShownUids(writes, await index.list(type, { names: writes }))
  }

  async #showsObjects(
    { type }: Read,
    writes: readonly ObjectWrite[],
    index: ObjectSource,
    instance: ObjectSource,
  ): Promise<boolean> {
    await this.#lookUp(type, writes.filter(isNotUnderstood), instance)
    let all = true
    const old: ObjectWrite[] = []
    for (let from = 0; from < writes.length; from += NAMES_AT_ONCE) {
      const some = writes.slice(from, from + NAMES_AT_ONCE)
      const revisions = some.map(write => this.ledger.revisionOf(write))
      const shown = await index.list(type, { names: some })
      const unmet = some.filter((write, at) => {
        const met = isShown(write, shown, index.hasCaughtUp?.(write.since))
        const revision = revisions[at]
        if (met && revision) this.ledger.markShown(write, revision)
        return !met
      })
      this.#noteShownUids(unmet, shown)
      if (unmet.length > 0) all = false
      const isOld = (write: ObjectWrite) =>
        this.ledger.now() - (this.#lookedUp.get(write) ?? write.since) > LOOK_AGAIN_MS
      old.push(...unmet.filter(isOld))
    }
    await this.#lookUp(type, old, instance)
    return all
  }

  #noteShownUids(writes: readonly ObjectWrite[], { items }: ShownList): void {
    for (const write of writes) {
      const uid = find(items, write)?.uid
      if (uid !== undefined) this.ledger.noteShownUid(write, uid)
    }
  }

  /** Asks the instance what became of objects. Whatever it answers is a state after what the caller wrote. */
  async #lookUp(
    type: GroupVersionResource,
    writes: readonly ObjectWrite[],
    instance: ObjectSource,
  ): Promise<void> {
    for (const write of writes.slice(0, LOOK_UPS_AT_ONCE)) {
      const revision = this.ledger.revisionOf(write)
      this.#lookedUp.set(write, this.ledger.now())
      const before = write.expected?.kind === 'gone' ? write.expected : undefined
      const { items, resourceVersion } = await instance.list(type, { names: [write] })
      const found = find(items, write)
      const after = before?.after ?? resourceVersion
      const gone = { ...before, kind: 'gone', ...(after !== undefined && { after }) } as const
      this.ledger.resolve(
        write,
        revision,
        found ? { kind: 'present', resourceVersion: found.resourceVersion } : gone,
      )
    }
  }

  /**
   * Of many objects, an index that says how far it is must have reached a version that the instance named after the write.
   * With another index everything is compared, and deletions are only believed after a long time.
   */
  async #showsAll(
    { type, scope }: Read,
    write: ExpectedWrite,
    index: ObjectSource,
    instance: ObjectSource,
  ): Promise<boolean> {
    const revision = this.ledger.revisionOf(write)
    if (write.minimumVersion === undefined) {
      const { resourceVersion } = await instance.list(type, { names: [NO_OBJECT] })
      if (resourceVersion === undefined || !this.ledger.setMinimumVersion(write, revision, resourceVersion))
        return false
    }
    const progress = await index.list(type, { names: [NO_OBJECT] })
    if (progress.resourceVersion !== undefined) {
      if (!hasReached(progress, write.minimumVersion)) return false
    } else {
      // A type that has no namespaces is read without one, and compared so.
      const where = scope.namespace === '' || write.namespace === '' ? {} : { namespace: write.namespace }
      if (!index.hasCaughtUp?.(write.since)) return false
      if (!write.elsewhere && !(await this.#isAsNew(write, type, where, index, instance))) return false
    }
    this.ledger.markShown(write, revision)
    return true
  }

  /** The contents of a container are deleted before it disappears: as long as it is being deleted, so are they. */
  async #isDeleted({ container, contents }: DeletedContents, instance: ObjectSource): Promise<boolean> {
    if (contents.minimumVersion !== undefined) return true
    const revision = this.ledger.revisionOf(contents)
    const key = container.name === undefined ? undefined : { namespace: '', name: container.name }
    const { items, resourceVersion } = await instance.list(
      CONTAINERS[container.kind],
      key ? { names: [key] } : {},
    )
    const isDeleting = key ? find(items, key)?.deleting : items.some(({ deleting }) => deleting)
    if (resourceVersion === undefined || isDeleting) return false
    return this.ledger.setMinimumVersion(contents, revision, resourceVersion)
  }

  /**
   * Whether the index shows a state of all objects that is no older than the instance's now: each that the instance has, as
   * new; and no other, unless it was made since.
   */
  async #isAsNew(
    write: ExpectedWrite,
    type: GroupVersionResource,
    where: { readonly namespace?: string },
    index: ObjectSource,
    instance: ObjectSource,
  ): Promise<boolean> {
    const now = this.ledger.now()
    if (now - (this.#lookedUp.get(write) ?? Number.NEGATIVE_INFINITY) < COMPARE_AGAIN_MS) return false
    this.#lookedUp.set(write, now)
    const real = await instance.list(type, where)
    const shown = await index.list(type, where)
    const { resourceVersion: until } = real
    if (until === undefined) return false
    const byKey = new Map(shown.items.map(item => [keyOf(item), item]))
    for (const item of real.items) {
      const expected = { kind: 'present', resourceVersion: item.resourceVersion } as const
      if (!isMet(expected, byKey.get(keyOf(item)), {})) return false
      byKey.delete(keyOf(item))
    }
    return [...byKey.values()].every(
      ({ resourceVersion }) => resourceVersion !== until && isAtOrAfter(resourceVersion, until),
    )
  }
}

const CONTAINERS: Readonly<Record<Container['kind'], GroupVersionResource>> = {
  namespace: { group: '', version: 'v1', resource: 'namespaces' },
  definition: { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' },
}
/** A name that no object can have: listed to find out the version of the list. */
export const NO_OBJECT = { namespace: '', name: '_' } as const
