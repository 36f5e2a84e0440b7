import { has, isArray, isObject, type Json, type JsonObject } from '../json.js'
import type { Schema } from '../schema/schema.js'
import { type FieldSet, FieldSetBuilder, type Path, pathText } from './field-set.js'
import { isField, itemElement, memberSchema, nodeKind, TypedError } from './ownership-schema.js'

/** All fields a value sets, as the one who applies it comes to own them. */
export function fieldSetOf(schema: Schema, value: JsonObject): FieldSet {
  const builder = new FieldSetBuilder()
  visit(schema, value, [], builder)
  return builder.build()
}

function visit(schema: Schema | undefined, value: Json, path: Path, set: FieldSetBuilder): void {
  const kind = nodeKind(schema, value)
  if (kind === 'leaf') set.insert(path)
  else if (kind === 'map') visitMap(schema, value as JsonObject, path, set)
  else visitList(schema, value as readonly Json[], path, set)
}

function visitMap(schema: Schema | undefined, object: JsonObject, path: Path, set: FieldSetBuilder): void {
  for (const [key, value] of Object.entries(object)) {
    const at = [...path, `f:${key}`]
    visit(memberSchema(schema, key), value, at, set)
    const empty = value === null || (isObject(value) && Object.keys(value).length === 0)
    if (empty || !isField(schema, key)) set.insert(at)
  }
}

function visitList(
  schema: Schema | undefined,
  list: readonly Json[],
  path: Path,
  set: FieldSetBuilder,
): void {
  const elements = list.map(item => itemElement(schema, item))
  list.forEach((item, index) => {
    const element = elements[index] as string
    const at = [...path, element]
    set.insert(at)
    // Of several items with one key none is known apart from the others, so they are owned together.
    if (elements.indexOf(element) === elements.lastIndexOf(element)) visit(schema?.items, item, at, set)
  })
}

/**
 * Refuses a configuration that its type cannot hold: unknown fields, items without their key, repeated keys.
 * @throws TypedError with every path that is wrong, in the words of Kubernetes
 */
export function checkTyped(schema: Schema, value: JsonObject): void {
  const problems = problemsIn(schema, value, [])
  if (problems.length === 0) return
  throw new TypedError(problems.length === 1 ? problems.join() : ['errors:', ...problems].join('\n  '))
}

function problemsIn(schema: Schema | undefined, value: Json, path: Path): readonly string[] {
  if (isArray(value)) return problemsInList(schema, value, path)
  if (!isObject(value)) return []
  const open =
    schema === undefined ||
    schema['x-kubernetes-preserve-unknown-fields'] === true ||
    schema.additionalProperties !== undefined ||
    schema.properties === undefined
  return Object.entries(value).flatMap(([key, member]) => {
    const at = [...path, `f:${key}`]
    const embedded =
      schema?.['x-kubernetes-embedded-resource'] && ['apiVersion', 'kind', 'metadata'].includes(key)
    if (!open && !embedded && !has(schema?.properties ?? {}, key))
      return `${pathText(at)}: field not declared in schema`
    return problemsIn(memberSchema(schema, key), member, at)
  })
}

function problemsInList(schema: Schema | undefined, list: readonly Json[], path: Path): readonly string[] {
  const keyed = nodeKind(schema, list) === 'list'
  const seen = new Set<string>()
  const problems: string[] = []
  for (const [index, item] of list.entries()) {
    let element = `i:${index}`
    if (keyed) {
      try {
        element = itemElement(schema, item)
      } catch (error) {
        if (!(error instanceof TypedError)) throw error
        // What has no key has no path either: nothing can be said of it or of what follows.
        return [...problems, `${pathText(path)}: element ${index}: ${error.message}`]
      }
      if (seen.has(element))
        problems.push(`${pathText(path)}: duplicate entries for key ${pathText([element])}`)
      seen.add(element)
    }
    problems.push(...problemsIn(schema?.items, item, [...path, element]))
  }
  return problems
}
