import { canonical, isObject, type Json, type JsonObject, type MutableJsonObject } from '../json.js'

/**
 * A set of paths into an object, as managedFields hold it: which fields a manager owns. Path elements are written as in
 * fieldsV1: `f:replicas` a field, `k:{"name":"web"}` an item of a list by its keys, `v:"x"` an item of a set by its value.
 * Immutable.
 */
export interface FieldSet {
  /** Elements that are owned themselves. */
  readonly members: ReadonlySet<string>
  /** Elements below which something is owned; never empty sets. */
  readonly children: ReadonlyMap<string, FieldSet>
}

export type Path = readonly string[]

const NO_MEMBERS: ReadonlySet<string> = new Set()
const NO_CHILDREN: ReadonlyMap<string, FieldSet> = new Map()
export const EMPTY: FieldSet = { members: NO_MEMBERS, children: NO_CHILDREN }

export const isEmpty = ({ members, children }: FieldSet): boolean => members.size === 0 && children.size === 0

/** A field set under construction. */
export class FieldSetBuilder {
  readonly #members = new Set<string>()
  readonly #children = new Map<string, FieldSetBuilder>()

  insert(path: Path): void {
    const [first, ...rest] = path
    if (first === undefined) return
    if (rest.length === 0) this.#members.add(first)
    else this.#child(first).insert(rest)
  }

  #child(element: string): FieldSetBuilder {
    let child = this.#children.get(element)
    if (!child) {
      child = new FieldSetBuilder()
      this.#children.set(element, child)
    }
    return child
  }

  build(): FieldSet {
    const children = new Map<string, FieldSet>()
    for (const [element, child] of this.#children) children.set(element, child.build())
    return { members: this.#members, children }
  }
}

export function setOf(...paths: readonly Path[]): FieldSet {
  const builder = new FieldSetBuilder()
  for (const path of paths) builder.insert(path)
  return builder.build()
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a)) return b
  if (isEmpty(b)) return a
  const children = new Map(a.children)
  for (const [element, child] of b.children) {
    const present = children.get(element)
    children.set(element, present ? union(present, child) : child)
  }
  return { members: new Set([...a.members, ...b.members]), children }
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const members = new Set([...a.members].filter(element => b.members.has(element)))
  const children = new Map<string, FieldSet>()
  for (const [element, child] of a.children) {
    const other = b.children.get(element)
    const common = other ? intersection(child, other) : EMPTY
    if (!isEmpty(common)) children.set(element, common)
  }
  return { members, children }
}

/** What is in `a` and not, at exactly that path, in `b`. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(b)) return a
  const members = new Set([...a.members].filter(element => !b.members.has(element)))
  const children = new Map<string, FieldSet>()
  for (const [element, child] of a.children) {
    const other = b.children.get(element)
    const rest = other ? difference(child, other) : child
    if (!isEmpty(rest)) children.set(element, rest)
  }
  return { members, children }
}

/** What is in `a` and neither in `b` nor below anything in `b`. */
export function withoutSubtrees(a: FieldSet, b: FieldSet): FieldSet {
  const members = new Set([...a.members].filter(element => !b.members.has(element)))
  const children = new Map<string, FieldSet>()
  for (const [element, child] of a.children) {
    if (b.members.has(element)) continue
    const other = b.children.get(element)
    const rest = other ? withoutSubtrees(child, other) : child
    if (!isEmpty(rest)) children.set(element, rest)
  }
  return { members, children }
}

/** What is in `a` under one of the elements of its first level. */
export function onlyUnder(a: FieldSet, elements: ReadonlySet<string>): FieldSet {
  return {
    members: new Set([...a.members].filter(element => elements.has(element))),
    children: new Map([...a.children].filter(([element]) => elements.has(element))),
  }
}

export function* paths(set: FieldSet, prefix: Path = []): Generator<Path> {
  for (const element of [...set.members].sort()) yield [...prefix, element]
  for (const element of [...set.children.keys()].sort()) {
    yield* paths(set.children.get(element) ?? EMPTY, [...prefix, element])
  }
}

/** The `fieldsV1` form: `{"f:spec":{"f:replicas":{}}}`, `.` for an element that is owned beside what is below it. */
export function encodeFields({ members, children }: FieldSet): JsonObject {
  const encoded: MutableJsonObject = {}
  for (const element of [...new Set([...members, ...children.keys()])].sort()) {
    const child = children.get(element)
    if (!child) encoded[element] = {}
    else encoded[element] = members.has(element) ? { '.': {}, ...encodeFields(child) } : encodeFields(child)
  }
  return encoded
}

/** Reads `fieldsV1`; undefined when it is none. */
export function decodeFields(fields: Json | undefined): FieldSet | undefined {
  if (!isObject(fields)) return undefined
  const members = new Set<string>()
  const children = new Map<string, FieldSet>()
  for (const [key, value] of Object.entries(fields)) {
    if (key === '.') continue
    const element = normalElement(key)
    const child = decodeFields(value)
    if (element === undefined || child === undefined) return undefined
    if (isEmpty(child) || (isObject(value) && Object.hasOwn(value, '.'))) members.add(element)
    if (!isEmpty(child)) children.set(element, child)
  }
  return { members, children }
}

/** Keys may come with their members in any order; here they are sorted, so that equal elements are equal texts. */
function normalElement(element: string): string | undefined {
  const kind = element.slice(0, 2)
  if (kind === 'f:' || kind === 'i:') return element
  if (kind !== 'k:' && kind !== 'v:') return undefined
  try {
    return `${kind}${canonical(JSON.parse(element.slice(2)) as Json)}`
  } catch {
    return undefined
  }
}

/** `.spec.containers[name="web"].image`: how messages write a path. */
export const pathText = (path: Path): string => path.map(elementText).join('')

function elementText(element: string): string {
  const body = element.slice(2)
  switch (element.slice(0, 2)) {
    case 'k:': {
      const keys = Object.entries(JSON.parse(body) as JsonObject)
      return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`
    }
    case 'v:':
      return `[=${body}]`
    case 'i:':
      return `[${body}]`
    default:
      return `.${body}`
  }
}
