import type { GroupVersionResource } from '../../manifests/kube.js'
import type { Arrivals } from './arrivals.js'
import type { Due, Dues, Extent, Party } from './due.js'
import { isAtOrAfter, isMet, reaches, type Shown } from './expectation.js'
import type { WriteLedger } from './ledger.js'

/** Whoever shows objects: the index, or the instance itself. */
export interface Showing {
  /**
   * Objects of a type: all, those of a namespace, or those of some names (and then perhaps more).
   * @throws when it does not answer
   */
  list(
    type: GroupVersionResource,
    where: { readonly namespace?: string; readonly names?: readonly Pick<Shown, 'namespace' | 'name'>[] },
  ): Promise<ShownList>
  /** Of an index that does not say how far it is: whether it shows by now what had happened then, by the ledger's clock. */
  readonly isLongAgo?: (since: number) => boolean
}

/** What was shown. */
export interface ShownList {
  /** Every change up to it is shown. Absent where an index does not say. */
  readonly resourceVersion?: string
  readonly items: readonly ShownItem[]
}

/** An object as it is shown, and whether it is on its way out. */
export type ShownItem = Shown & { readonly deleting: boolean }

/** A read that could miss something. */
export interface Read {
  readonly party: Party
  readonly type: GroupVersionResource
  readonly extent: Extent
}

/** Names asked for at once: an address holds so many at their longest. */
const NAMES_AT_ONCE = 24
/** Objects whose fate is asked of the instance for one read. */
const LOOK_UPS_AT_ONCE = 8
/** What is not shown for so long may never be, because somebody else wrote it since: the instance is asked again. */
const LOOK_AGAIN_MS = 2_000
/** A comparison of a whole type that found it behind is not repeated sooner. */
const COMPARE_AGAIN_MS = 2_000

/** Finds out whether an index shows what a caller has written. */
export class CatchUp {
  /** When something was last asked of the instance about what is due. */
  readonly #asked = new WeakMap<Due, number>()

  /** @param arrivals absent where what callers wrote before they came here does not count */
  constructor(
    readonly ledger: WriteLedger,
    readonly arrivals?: Arrivals,
  ) {}

  /** What a read could miss; undefined for nothing. */
  due({ party, type, extent }: Read): Dues | undefined {
    const dues = this.ledger.due(party, type, extent)
    const arrival = this.arrivals?.due(party, type)
    if (!arrival) return dues
    return { written: [...(dues?.written ?? []), arrival], namespaces: dues?.namespaces ?? [] }
  }

  /**
   * Whether a read of the index would miss nothing that its caller wrote through this replica.
   * @throws whatever the index or the instance throw: then nobody knows
   */
  async shows(read: Read, index: Showing, instance: Showing): Promise<boolean> {
    const dues = this.due(read)
    if (!dues) return true
    if (this.isOpen(read)) return false
    if (!(await this.#showsObjects(read, dues.written.filter(isObject), index, instance))) return false
    for (const due of dues.written)
      if (due.name === undefined && !(await this.#showsAll(read, due, index, instance))) return false
    for (const due of dues.namespaces)
      if (!(await this.#isEmptied(due, instance)) || !(await this.#showsAll(read, due, index, instance)))
        return false
    return true
  }

  /** Whether something is under way, or may yet be executed, that a read could miss: then it is not waited for. */
  isOpen({ party, type, extent }: Read): boolean {
    const { written = [], namespaces = [] } = this.ledger.due(party, type, extent) ?? {}
    const now = this.ledger.now()
    return [...written, ...namespaces].some(({ underWay, notBefore }) => underWay > 0 || now < notBefore)
  }

  /**
   * Looks at an object in the index that is about to be deleted: only of what was shown there its absence tells that it is
   * gone. @throws whatever the index throws; then deletions are only seen later
   */
  async look({ party, type, extent }: Read, index: Showing): Promise<void> {
    const dues = this.ledger.due(party, type, extent)?.written.filter(isObject) ?? []
    if (dues.length > 0) this.#noteShown(dues, await index.list(type, { names: dues }))
  }

  async #showsObjects(
    { type }: Read,
    dues: readonly DueObject[],
    index: Showing,
    instance: Showing,
  ): Promise<boolean> {
    await this.#lookUp(type, dues.filter(isNotUnderstood), instance)
    let all = true
    for (let from = 0; from < dues.length; from += NAMES_AT_ONCE) {
      const some = dues.slice(from, from + NAMES_AT_ONCE)
      const stands = some.map(due => this.ledger.standOf(due))
      const shown = await index.list(type, { names: some })
      const unmet = some.filter((due, at) => {
        const met = isShown(due, shown, index.isLongAgo?.(due.since))
        if (met) this.ledger.settle(due, stands[at] ?? 0)
        return !met
      })
      this.#noteShown(unmet, shown)
      if (unmet.length > 0) all = false
      const old = unmet.filter(due => this.ledger.now() - (this.#asked.get(due) ?? due.since) > LOOK_AGAIN_MS)
      await this.#lookUp(type, old, instance)
    }
    return all
  }

  #noteShown(dues: readonly DueObject[], { items }: ShownList): void {
    for (const due of dues) {
      const uid = find(items, due)?.uid
      if (uid !== undefined) this.ledger.noteShown(due, uid)
    }
  }

  /** Asks the instance what became of objects. Whatever it says is a state after what the caller wrote. */
  async #lookUp(type: GroupVersionResource, dues: readonly DueObject[], instance: Showing): Promise<void> {
    for (const due of dues.slice(0, LOOK_UPS_AT_ONCE)) {
      const stand = this.ledger.standOf(due)
      this.#asked.set(due, this.ledger.now())
      const before = due.expected?.kind === 'gone' ? due.expected : undefined
      const { items, resourceVersion } = await instance.list(type, { names: [due] })
      const found = find(items, due)
      const after = before?.after ?? resourceVersion
      const gone = { ...before, kind: 'gone', ...(after !== undefined && { after }) } as const
      this.ledger.refine(
        due,
        stand,
        found ? { kind: 'present', resourceVersion: found.resourceVersion } : gone,
      )
    }
  }

  /**
   * Of many objects an index that says how far it is must have reached a version that the instance named after the write.
   * Of another, all has to be compared, and what is gone is only believed when it was long ago.
   */
  async #showsAll({ type, extent }: Read, due: Due, index: Showing, instance: Showing): Promise<boolean> {
    const stand = this.ledger.standOf(due)
    if (due.upTo === undefined) {
      const { resourceVersion } = await instance.list(type, { names: [NOBODY] })
      if (resourceVersion === undefined || !this.ledger.bound(due, stand, resourceVersion)) return false
    }
    const reach = await index.list(type, { names: [NOBODY] })
    if (reach.resourceVersion !== undefined) {
      if (!reaches(reach, due.upTo)) return false
    } else {
      // A type that has no namespaces is read without one, and compared so.
      const where = extent.namespace === '' || due.namespace === '' ? {} : { namespace: due.namespace }
      if (!index.isLongAgo?.(due.since)) return false
      if (!due.elsewhere && !(await this.#isAsNew(due, type, where, index, instance))) return false
    }
    this.ledger.settle(due, stand)
    return true
  }

  /** The contents of a namespace go before it does: while it is on its way out, so are they. */
  async #isEmptied(due: Due, instance: Showing): Promise<boolean> {
    if (due.upTo !== undefined) return true
    const stand = this.ledger.standOf(due)
    const place = { namespace: '', name: due.namespace }
    const { items, resourceVersion } = await instance.list(NAMESPACES, { names: [place] })
    if (resourceVersion === undefined || find(items, place)?.deleting) return false
    return this.ledger.bound(due, stand, resourceVersion)
  }

  /**
   * Whether the index shows a state of all objects that is no older than the instance's now: each that the instance has,
   * as new; and no other, unless it was made since.
   */
  async #isAsNew(
    due: Due,
    type: GroupVersionResource,
    where: { readonly namespace?: string },
    index: Showing,
    instance: Showing,
  ): Promise<boolean> {
    const now = this.ledger.now()
    if (now - (this.#asked.get(due) ?? Number.NEGATIVE_INFINITY) < COMPARE_AGAIN_MS) return false
    this.#asked.set(due, now)
    const real = await instance.list(type, where)
    const shown = await index.list(type, where)
    const { resourceVersion: until } = real
    if (until === undefined) return false
    const byPlace = new Map(shown.items.map(item => [placeOf(item), item]))
    for (const item of real.items) {
      const expected = { kind: 'present', resourceVersion: item.resourceVersion } as const
      if (!isMet(expected, byPlace.get(placeOf(item)), {})) return false
      byPlace.delete(placeOf(item))
    }
    return [...byPlace.values()].every(
      ({ resourceVersion }) => resourceVersion !== until && isAtOrAfter(resourceVersion, until),
    )
  }
}

const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' } as const
/** A name that no object can have: asked for to hear how far an index is. */
export const NOBODY = { namespace: '', name: '_' } as const

type DueObject = Due & { readonly name: string }
const isObject = (due: Due): due is DueObject => due.name !== undefined

const placeOf = ({ namespace, name }: Pick<Shown, 'namespace' | 'name'>): string => `${namespace}/${name}`
const find = (items: readonly ShownItem[], at: Pick<Shown, 'namespace' | 'name'>): ShownItem | undefined =>
  items.find(item => placeOf(item) === placeOf(at))

/** Whether somebody has to say what became of an object before it can be looked for. */
const isNotUnderstood = ({ expected, shownUid }: DueObject): boolean =>
  expected?.kind === 'unknown' ||
  (expected?.kind === 'gone' &&
    expected.after === undefined &&
    (shownUid === undefined || shownUid !== expected.uid))

function isShown(due: DueObject, { items, resourceVersion }: ShownList, isLongAgo = false): boolean {
  const { expected, shownUid } = due
  if (!expected) return true
  return isMet(expected, find(items, due), {
    isLongAgo,
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(shownUid !== undefined && { shownUid }),
  })
}
