import { later } from './expectation.js'
import {
  type Container,
  type DeletedContents,
  type ExpectedWrite,
  newEntry,
  overlaps,
  type Scope,
  typeKey,
  type WrittenType,
} from './expected-write.js'
import { TypeWrites } from './type-writes.js'
import { type LastWrite, latest, NO_WRITE, UnknownWrites } from './unknown-writes.js'

/** How much is remembered one by one of each caller of an instance. What there is no room for is remembered as something larger. */
export interface CallerLimits {
  /** Objects of a type; with one more they are all objects of the type. */
  readonly objects: number
  /** Types; beyond it, the one written least recently is forgotten, and something was written of any type. */
  readonly types: number
  /** Objects of all types; beyond it likewise. */
  readonly entries: number
  /** Deleted namespaces, and deleted definitions; beyond it, the first may be any. */
  readonly containers: number
}

/** The key of any namespace or any definition among those that were deleted. */
const ANY = ''

/** What one caller of an instance wrote. */
export class CallerWrites {
  /** By key of the type, the one written least recently first. */
  readonly #types = new Map<string, TypeWrites>()
  #entries = 0
  /** Of types that were forgotten. */
  readonly #forgotten = new UnknownWrites()
  /** Contents of what was deleted, by name of a namespace or key of a type, the one deleted first first. */
  readonly #deleted = {
    namespace: new Map<string, { readonly container: Container; readonly writes: UnknownWrites }>(),
    definition: new Map<string, { readonly container: Container; readonly writes: UnknownWrites }>(),
  }
  /** Deletions of containers that are under way, by the same keys. */
  readonly #deleting = {
    namespace: new Map<string, { readonly container: Container; underWay: number }>(),
    definition: new Map<string, { readonly container: Container; underWay: number }>(),
  }
  /** The last of all writes. */
  #last = NO_WRITE
  #underWay = 0

  constructor(private readonly limits: CallerLimits) {}

  get isIdle(): boolean {
    return this.#underWay === 0
  }

  /** Nothing is worth remembering. */
  get isEmpty(): boolean {
    const { namespace, definition } = this.#deleted
    return (
      this.#types.size === 0 &&
      this.#forgotten.sequence === 0 &&
      namespace.size === 0 &&
      definition.size === 0
    )
  }

  /** What was written of a type; begun if need be, and now the one written last. */
  begin(type: WrittenType): TypeWrites {
    const key = typeKey(type)
    const writes = this.#types.get(key) ?? new TypeWrites(key, by => (this.#entries += by))
    this.#types.delete(key)
    this.#types.set(key, writes)
    writes.underWay++
    this.#underWay++
    return writes
  }

  /** A write of a type is over. Amortized, this takes constant time. */
  end(writes: TypeWrites, last: LastWrite | undefined): void {
    writes.underWay--
    this.#underWay--
    if (last) this.#last = latest(this.#last, last)
    const { types, entries } = this.limits
    // What is under way has to find its entry again. There are no more of those than requests under way.
    for (let tries = 0; tries < TRIES && (this.#types.size > types || this.#entries > entries); tries++) {
      const [oldest] = this.#types.values()
      if (!oldest) break
      this.#types.delete(oldest.key)
      if (oldest.underWay > 0) this.#types.set(oldest.key, oldest)
      else this.#forget(oldest)
    }
    this.dropIfEmpty(writes)
  }

  dropIfEmpty(writes: TypeWrites): void {
    if (writes.isEmpty && this.#types.get(writes.key) === writes) this.#types.delete(writes.key)
  }

  /** The deletion of a container begins: its contents may go before it is answered. @returns to be called when it ended */
  deleting(container: Container, key: string): () => void {
    const all = this.#deleting[container.kind]
    const deletions = all.get(key) ?? { container, underWay: 0 }
    all.set(key, deletions)
    deletions.underWay++
    return () => {
      if (--deletions.underWay === 0) all.delete(key)
    }
  }

  /** A container was deleted, or may have been. */
  deleted(container: Container, key: string, last: LastWrite): void {
    const all = this.#deleted[container.kind]
    const known = all.get(key)
    const writes = known?.writes ?? new UnknownWrites(container.kind === 'namespace' ? key : '')
    writes.add(last)
    all.delete(key)
    all.set(key, { container, writes })
    if (all.size <= this.limits.containers) return
    const [first] = [...all].find(([name]) => name !== ANY) ?? []
    const dropped = first === undefined ? undefined : all.get(first)
    if (first === undefined || !dropped) return
    all.delete(first)
    this.deleted({ kind: container.kind }, ANY, dropped.writes.last)
  }

  /** Takes over what another caller wrote, without saying what it was. */
  takeOver(other: CallerWrites): void {
    if (other.#entries > 0 || other.#forgotten.sequence > 0) this.#forgotten.add(other.#last)
    for (const kind of ['namespace', 'definition'] as const)
      for (const { writes } of other.#deleted[kind].values()) this.deleted({ kind }, ANY, writes.last)
  }

  /** What a read could miss is added to these lists. */
  collect(type: WrittenType, scope: Scope, written: ExpectedWrite[], deleted: DeletedContents[]): void {
    for (const entry of this.#types.get(typeKey(type))?.entries.values() ?? [])
      if (overlaps(scope, entry)) written.push(entry)
    const forgotten = this.#forgotten.sequence > 0 && this.#forgotten.expected(type)
    if (forgotten) written.push(forgotten)
    for (const { container, underWay } of containersOf(this.#deleting, type, scope))
      deleted.push({ container, contents: { ...newEntry({ namespace: '' }), underWay } })
    for (const { container, writes } of containersOf(this.#deleted, type, scope)) {
      const contents = writes.expected(type)
      if (contents) deleted.push({ container, contents })
    }
  }

  /** The last version of a type that is known to be written, or that the index has shown since. */
  highest(type: WrittenType): string | undefined {
    return later(this.#types.get(typeKey(type))?.highest, this.#forgotten.minimumVersion(type))
  }

  #forget({ entries }: TypeWrites): void {
    if (entries.size === 0) return
    this.#entries -= entries.size
    const last = [...entries.values()].reduce<LastWrite>(latest, NO_WRITE)
    entries.clear()
    this.#forgotten.add(last)
  }
}

/** Types that are looked at for one that can be forgotten, after each write. */
const TRIES = 4

/** Those containers among some, by key, whose contents a read could look at. */
function* containersOf<T>(
  { namespace: namespaces, definition: definitions }: Readonly<Record<Container['kind'], Map<string, T>>>,
  type: WrittenType,
  { namespace, name }: Scope,
): Generator<T> {
  if (namespace !== '')
    for (const key of [namespace, ANY]) {
      const found = namespaces.get(key)
      if (found) yield found
    }
  // One object without a namespace is in none that could have been deleted.
  else if (name === undefined) yield* namespaces.values()
  for (const key of [typeKey(type), ANY]) {
    const found = definitions.get(key)
    if (found) yield found
  }
}
