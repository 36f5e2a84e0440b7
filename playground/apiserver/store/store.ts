import { type JsonObject, objectAt } from '../../apimachinery/json.js'
import { Collection, type StoreEvent } from './collection.js'
import { Journal, type JournalRecord } from './journal.js'
import type { JournalFiles } from './journal-files.js'
import { freeze, StoredObject } from './stored-object.js'

/** What a transaction decides: put this object, remove the present one (leaving this last state), or change nothing. */
export type Change = { readonly put: JsonObject } | { readonly remove: JsonObject } | undefined

/** Decides on the newest version of the object, or undefined where there is none. Synchronous; a throw changes nothing. */
export type Transaction = (current: StoredObject | undefined) => Change

/** What came of a transaction. */
export interface Outcome {
  /** The object now; for a removal its last state; undefined when there was none and nothing was put. */
  readonly stored: StoredObject | undefined
  readonly event?: StoreEvent
}

interface Write {
  readonly collection: Collection
  readonly key: string
  readonly transaction: Transaction
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/** What was decided about a write before it is on disk. */
interface Decided {
  readonly write: Write
  readonly event: StoreEvent | undefined
  readonly current: StoredObject | undefined
  /** What its transaction threw. */
  readonly refusal?: { readonly error: unknown }
}

/** How many waiting writes share one fsync. */
const BATCH = 256

/**
 * One logical cluster's objects under one revision counter, as etcd keeps them. Without a journal a write is done when
 * `write` returns; with one no reader sees it before it is on disk, and writes that wait share an fsync.
 */
export class Store {
  readonly #collections = new Map<string, Collection>()
  readonly #listeners = new Set<(collection: Collection, event: StoreEvent) => void>()
  readonly #waiting: Write[] = []
  #draining: Promise<void> | undefined
  #journal: Journal | undefined
  #revision = 1
  #compacted = 0

  constructor(private readonly now: () => number) {}

  /**
   * Takes up what a folder keeps and keeps every further write there. The past before is gone: watches and paged lists
   * of that time have to start over.
   * @throws CorruptJournalError
   */
  async keepIn(
    folder: string,
    files?: JournalFiles,
    onSnapshotFailed?: (error: unknown) => void,
  ): Promise<void> {
    this.#journal = await Journal.open(folder, record => this.#restore(record), files, onSnapshotFailed)
    this.compact(this.#revision)
  }

  /** The newest revision: the resourceVersion of a list made now. */
  get revision(): number {
    return this.#revision
  }
  /** Nothing before this revision can be requested. */
  get compacted(): number {
    return this.#compacted
  }

  collection(id: string): Collection {
    let collection = this.#collections.get(id)
    if (!collection) {
      collection = new Collection(id)
      collection.forget(this.#compacted)
      this.#collections.set(id, collection)
    }
    return collection
  }

  collections(): IterableIterator<Collection> {
    return this.#collections.values()
  }

  /**
   * Runs one transaction.
   * @throws what the transaction throws; or, with a journal, why the write could not be made durable; nothing is
   * changed then
   */
  write(collection: Collection, key: string, transaction: Transaction): Promise<Outcome> {
    const journal = this.#journal
    if (!journal) {
      return new Promise(resolve => {
        const current = collection.get(key)
        const event = this.#decide(key, current, transaction, this.#revision + 1)
        if (event) this.#publish(collection, event)
        resolve(event ? { stored: event.current, event } : { stored: current })
      })
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ collection, key, transaction, resolve, reject })
      this.#draining ??= this.#drain(journal)
    })
  }

  /** Everything there is, for a snapshot of the journal. */
  *records(): IterableIterator<JournalRecord> {
    for (const collection of this.#collections.values()) {
      for (const { key, revision, object } of collection.values()) {
        yield { collection: collection.id, key, revision, object }
      }
    }
  }

  /** Forgets the past before `revision`, as etcd's compaction does. */
  compact(revision = this.#revision): void {
    this.#compacted = Math.max(this.#compacted, revision)
    for (const collection of this.#collections.values()) collection.forget(this.#compacted)
  }

  /** Drops history that no watch will resume from. @param age milliseconds */
  sweep(age: number): void {
    for (const collection of this.#collections.values()) collection.sweep(this.now(), age)
  }

  /** Calls `listener` after every change of any type, until the returned function is called. */
  onChange(listener: (collection: Collection, event: StoreEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Lets waiting writes finish and closes the journal. */
  async close(): Promise<void> {
    await this.settled()
    await this.#journal?.close()
  }

  /** Resolves when no write is waiting for the disk. */
  async settled(): Promise<void> {
    await this.#draining
  }

  #restore(record: JournalRecord): void {
    this.#revision = Math.max(this.#revision, record.revision)
    if (record.object === undefined) return
    this.collection(record.collection).restore(
      new StoredObject(record.key, record.revision, freeze(record.object)),
    )
  }

  #decide(
    key: string,
    current: StoredObject | undefined,
    transaction: Transaction,
    revision: number,
  ): StoreEvent | undefined {
    const change = transaction(current)
    if (change === undefined) return undefined
    const time = this.now()
    if ('put' in change) {
      const stored = new StoredObject(key, revision, stamped(change.put, revision))
      return current
        ? { type: 'MODIFIED', revision, current: stored, previous: current, time }
        : { type: 'ADDED', revision, current: stored, time }
    }
    if (!current) return undefined
    const last = new StoredObject(key, revision, stamped(change.remove, revision))
    return { type: 'DELETED', revision, current: last, previous: current, time }
  }

  #publish(collection: Collection, event: StoreEvent): void {
    this.#revision = event.revision
    collection.apply(event)
    for (const listener of this.#listeners) listener(collection, event)
  }

  async #drain(journal: Journal): Promise<void> {
    // So that `#draining` is set before it is cleared, and writes of the same moment share the first batch.
    await Promise.resolve()
    while (this.#waiting.length > 0) await this.#writeBatch(journal)
    // In the same step as the last look at the queue: a write that comes now starts a new round.
    this.#draining = undefined
  }

  async #writeBatch(journal: Journal): Promise<void> {
    const writes = this.#waiting.splice(0, BATCH)
    const decided = this.#decideAll(writes)
    try {
      const records = decided.flatMap(({ write, event }) => (event ? [recordOf(write, event)] : []))
      if (records.length > 0) await journal.append(records)
    } catch (error) {
      for (const { write } of decided) write.reject(error)
      return
    }
    for (const { write, event, current, refusal } of decided) {
      if (refusal) {
        write.reject(refusal.error)
        continue
      }
      if (event) this.#publish(write.collection, event)
      write.resolve(event ? { stored: event.current, event } : { stored: current })
    }
    if (journal.wantsSnapshot) await journal.snapshot(this.#revision, this.records())
  }

  /**
   * Decides a batch in order: each write sees the ones before it, no reader sees any of them yet. So one that is refused for what is ahead
   * of readers waits with the others: who is told that an object is there must find it.
   */
  #decideAll(writes: readonly Write[]): readonly Decided[] {
    const ahead = new Map<string, StoredObject | undefined>()
    let revision = this.#revision
    const decided: Decided[] = []
    for (const write of writes) {
      const id = `${write.collection.id} ${write.key}`
      const current = ahead.has(id) ? ahead.get(id) : write.collection.get(write.key)
      try {
        const event = this.#decide(write.key, current, write.transaction, revision + 1)
        if (event) {
          revision = event.revision
          ahead.set(id, event.type === 'DELETED' ? undefined : event.current)
        }
        decided.push({ write, event, current })
      } catch (error) {
        if (ahead.has(id)) decided.push({ write, event: undefined, current, refusal: { error } })
        else write.reject(error)
      }
    }
    return decided
  }
}

const recordOf = ({ collection, key }: Write, event: StoreEvent): JournalRecord => ({
  collection: collection.id,
  key,
  revision: event.revision,
  ...(event.type === 'DELETED' ? {} : { object: event.current.object }),
})

function stamped(object: JsonObject, revision: number): JsonObject {
  return freeze({
    ...object,
    metadata: { ...objectAt(object, 'metadata'), resourceVersion: String(revision) },
  })
}
