import { equal, has, isArray, isObject, type Json, type JsonObject } from '../json.js'
import type { Schema } from '../schema/schema.js'
import { type FieldSet, FieldSetBuilder, type Path, union } from './field-set.js'
import { itemElement, memberSchema, nodeKind } from './ownership-schema.js'

/** Where two objects differ. */
export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

type Items = readonly Json[]

interface Builders {
  readonly added: FieldSetBuilder
  readonly modified: FieldSetBuilder
  readonly removed: FieldSetBuilder
}

/** Compares two objects field by field, as ownership tells fields apart. */
export function compare(schema: Schema, before: JsonObject, after: JsonObject): Comparison {
  const found: Builders = {
    added: new FieldSetBuilder(),
    modified: new FieldSetBuilder(),
    removed: new FieldSetBuilder(),
  }
  visit(schema, before, after, [], found)
  return { added: found.added.build(), modified: found.modified.build(), removed: found.removed.build() }
}

export const changed = ({ added, modified }: Comparison): FieldSet => union(added, modified)

function visit(
  schema: Schema | undefined,
  before: Json | undefined,
  after: Json | undefined,
  path: Path,
  found: Builders,
): void {
  const kind = nodeKind(schema, after ?? before ?? null)
  // null stands for an empty object or list as well as for an empty scalar.
  const sameShape = before === undefined || before === null || nodeKind(schema, before) === kind
  if (kind === 'leaf' || !sameShape || (nothingIn(before) && nothingIn(after))) {
    leaf(before, after, path, found)
    if (sameShape) return
    // A map that comes where a scalar was is new down to its last field; one that gives way to a scalar is gone as far.
    if (kind === 'map') visitMap(schema, undefined, after as JsonObject, path, found)
    if (nodeKind(schema, before) === 'map') visitMap(schema, before as JsonObject, undefined, path, found)
    return
  }
  const [was, is] = [before ?? undefined, after ?? undefined]
  if (kind === 'map')
    visitMap(schema, was as JsonObject | undefined, is as JsonObject | undefined, path, found)
  else visitList(schema, was as Items | undefined, is as Items | undefined, path, found)
  if (before === undefined) found.added.insert(path)
  else if (after === undefined) found.removed.insert(path)
}

const nothingIn = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  (isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0)

function leaf(before: Json | undefined, after: Json | undefined, path: Path, found: Builders): void {
  if (before === undefined) found.added.insert(path)
  else if (after === undefined) found.removed.insert(path)
  else if (!equal(before, after)) found.modified.insert(path)
}

function visitMap(
  schema: Schema | undefined,
  before: JsonObject = {},
  after: JsonObject = {},
  path: Path,
  found: Builders,
): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [has(before, key) ? before[key] : undefined, has(after, key) ? after[key] : undefined]
    if (was !== is) visit(memberSchema(schema, key), was, is, [...path, `f:${key}`], found)
  }
}

function visitList(
  schema: Schema | undefined,
  before: Items = [],
  after: Items = [],
  path: Path,
  found: Builders,
): void {
  const was = byElement(schema, before)
  const is = byElement(schema, after)
  for (const element of new Set([...was.keys(), ...is.keys()])) {
    const at = [...path, element]
    const [old = [], now = []] = [was.get(element), is.get(element)]
    if (old.length <= 1 && now.length <= 1) visit(schema?.items, old[0], now[0], at, found)
    // Items that share a key cannot be told apart: they change together.
    else if (old.length === 0) found.added.insert(at)
    else if (now.length === 0) found.removed.insert(at)
    else if (!equal(old as Json, now as Json)) found.modified.insert(at)
  }
}

function byElement(schema: Schema | undefined, list: readonly Json[]): Map<string, Json[]> {
  const grouped = new Map<string, Json[]>()
  for (const item of list) {
    const element = itemElement(schema, item)
    const group = grouped.get(element)
    if (group) group.push(item)
    else grouped.set(element, [item])
  }
  return grouped
}
