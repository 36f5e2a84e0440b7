import type { Expectation } from './expectation.js'

/** Who wrote or reads, and where. */
export interface Party {
  /** The instance's uid. */
  readonly instance: string
  readonly user: string
}

/** A type of objects; its versions show the same objects. */
export interface WrittenType {
  readonly group: string
  readonly resource: string
}

/** What a read looks at: one object, a namespace, or with '' for the namespace all of them. */
export interface Extent {
  readonly namespace: string
  readonly name?: string
}

/** Something that was written and has not been seen yet where it is looked for. */
export interface Due {
  readonly namespace: string
  /** Absent where nobody knows which objects: all of the namespace, or of all namespaces (''). */
  readonly name?: string
  /** Writes under way: what they do is not known yet. */
  readonly underWay: number
  /** Undefined while nothing was executed. Of many objects only that they were written. */
  readonly expected: Expectation | undefined
  /** Since when that is expected. */
  readonly since: number
  /** Until then a write whose answer was lost may still be executed. */
  readonly notBefore: number
  /** Of one object: the uid under which it was seen where it is looked for. */
  readonly shownUid: string | undefined
  /** Of many objects: whoever shows everything up to this version shows what was written. */
  readonly upTo: string | undefined
  /** Of many objects: nobody knows that anything was written, since it would have been elsewhere. */
  readonly elsewhere?: boolean
}

/** All that a read could miss. */
export interface Dues {
  readonly written: readonly Due[]
  /** Namespaces that were deleted, or may have been, and take their objects of this type along. */
  readonly namespaces: readonly Due[]
}

/** The same as the ledger keeps it. `seq` moves with every write that begins or ends. */
export type Entry = { -readonly [Key in keyof Due]: Due[Key] } & { seq: number; readonly record: Remembered }

/** What one caller wrote of one type. */
export interface Remembered {
  readonly entries: Map<string, Entry>
  /** The last version that is known to be written. */
  highest: string | undefined
}

/** Keys of maps. */
export const typeKey = ({ group, resource }: WrittenType): string => `${group}/${resource}`
export const partyKey = ({ instance, user }: Party): string => JSON.stringify([instance, user])
export const recordKey = ({ instance, user }: Party, { group, resource }: WrittenType): string =>
  JSON.stringify([instance, user, group, resource])
/** A name holds no slash, so nothing of one kind is taken for the other. */
export const entryKey = ({ namespace, name }: Extent): string =>
  name === undefined ? `${namespace}/` : `${namespace}/${name}`

/** What is remembered of one object, or of all in a namespace; begun if need be. */
export function entryOf(record: Remembered, { namespace, name }: Extent): Entry {
  const key = entryKey({ namespace, ...(name !== undefined && { name }) })
  const found = record.entries.get(key)
  if (found) return found
  const entry: Entry = {
    record,
    namespace,
    ...(name !== undefined && { name }),
    seq: 0,
    underWay: 0,
    expected: undefined,
    since: 0,
    notBefore: 0,
    shownUid: undefined,
    upTo: undefined,
  }
  record.entries.set(key, entry)
  return entry
}

/** Nothing under way and nothing expected is not worth remembering. */
export function forgetIdle(entry: Entry): void {
  if (entry.underWay === 0 && entry.expected === undefined) entry.record.entries.delete(entryKey(entry))
}

/** Whether a read looks at something that was written. */
export function touches(read: Extent, written: Extent): boolean {
  if (written.name !== undefined && read.name !== undefined)
    return read.name === written.name && read.namespace === written.namespace
  if (written.name !== undefined) return read.namespace === '' || read.namespace === written.namespace
  return read.namespace === '' || written.namespace === '' || read.namespace === written.namespace
}
