import type { Expectation } from './expectation.js'

/** A caller of one instance. */
export interface InstanceCaller {
  /** The instance's uid. */
  readonly instance: string
  readonly user: string
}

/** A type of objects; its versions show the same objects. */
export interface WrittenType {
  readonly group: string
  readonly resource: string
}

/** One object, or all objects of a type in a namespace, or with '' for the namespace in all of them. */
export interface Scope {
  readonly namespace: string
  readonly name?: string
}

/** Something that was written and was not yet seen in the index. */
export interface ExpectedWrite extends Scope {
  /** Writes under way: what they do is not known yet. */
  readonly underWay: number
  /** Undefined while nothing was executed, and when it was seen. */
  readonly expected: Expectation | undefined
  /** Since when that is expected, by the ledger's clock. */
  readonly since: number
  /** Until then a write whose answer was lost may still be executed. */
  readonly notBefore: number
  /** Of one object: the uid under which the index has shown it. */
  readonly shownUid: string | undefined
  /** Of many objects: an index that shows everything up to this version shows what was written. */
  readonly minimumVersion: string | undefined
  /** Of many objects: it is not known that anything was written, since that would have been through another replica. */
  readonly elsewhere?: boolean
}

/** An object that takes others along when it is deleted: a namespace its objects, a definition those of its type. */
export interface Container {
  readonly kind: 'namespace' | 'definition'
  /** Absent for any of its kind. */
  readonly name?: string
}

/** A container was deleted; of its contents this is expected. */
export interface DeletedContents {
  readonly container: Container
  readonly contents: ExpectedWrite
}

/** All that a read could miss. */
export interface ExpectedWrites {
  readonly written: readonly ExpectedWrite[]
  readonly deleted: readonly DeletedContents[]
}

/** An expected write as the ledger keeps it. */
export type Entry = { -readonly [Key in keyof ExpectedWrite]: ExpectedWrite[Key] } & {
  /** Grows with every write that begins or ends. */
  sequence: number
  /** Where it is one of many: what removes it from there, and when that last changed as a whole. */
  readonly kept?: { readonly sequence: number; remove(entry: Entry): void }
  /** Of many objects: the sequence of the ledger when `minimumVersion` was read from the instance. */
  checkedAt: number
}

/** The key of a type in maps. Events are stored once and served by two groups. */
export const typeKey = ({ group, resource }: WrittenType): string =>
  group === 'events.k8s.io' && resource === 'events' ? '/events' : `${group}/${resource}`

/** The key of an object, or of all in a namespace. A name holds no slash, so neither is taken for the other. */
export const scopeKey = ({ namespace, name = '' }: Scope): string => `${namespace}/${name}`

/** An entry of which nothing is expected yet. */
export const newEntry = ({ namespace, name }: Scope, kept?: Entry['kept']): Entry => ({
  namespace,
  ...(name !== undefined && { name }),
  ...(kept && { kept }),
  sequence: 0,
  checkedAt: 0,
  underWay: 0,
  expected: undefined,
  since: 0,
  notBefore: 0,
  shownUid: undefined,
  minimumVersion: undefined,
})

/** Whether a read looks at something that was written. */
export function overlaps(read: Scope, written: Scope): boolean {
  if (written.name !== undefined && read.name !== undefined)
    return read.name === written.name && read.namespace === written.namespace
  if (written.name !== undefined) return read.namespace === '' || read.namespace === written.namespace
  return read.namespace === '' || written.namespace === '' || read.namespace === written.namespace
}
