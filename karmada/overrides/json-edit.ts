import type { OverrideOperator } from '../objects/override-policy.js'
import { pointerTokens } from './pointer.js'

/** An override that cannot be applied: its path is not there, or holds something else. */
export class OverrideError extends Error {
  override readonly name = 'OverrideError'
}

/** One change of a document. */
export interface Edit {
  readonly op: OverrideOperator
  /** JSON pointer. */
  readonly path: string
  readonly value?: unknown
}

/** What a pointer can lead into. */
type Container = Record<string, unknown> | unknown[]

/**
 * Applies edits as the JSON Patch library of Karmada does (evanphx/json-patch 5, which is RFC 6902 but for negative indices)
 * and returns the new document; the old one stays as it is.
 * @throws OverrideError that names the edit which cannot be applied
 */
export const edited = <T>(document: T, edits: readonly Edit[]): T =>
  edits.length === 0 ? document : edit(structuredClone(document), edits)

/** As `edited`, in the document itself, which is lost where an edit cannot be applied. */
export function edit<T>(document: T, edits: readonly Edit[]): T {
  let current: unknown = document
  for (const { op, path, value = null } of edits) {
    const refuse = (why: string): never => {
      throw new OverrideError(`${op} ${JSON.stringify(path)} cannot be applied: ${why}`)
    }
    if (!isContainer(current)) return refuse('the document is neither an object nor a list')
    if (path === '' && op !== 'remove') {
      current = isContainer(value)
        ? structuredClone(value)
        : refuse('the document must stay an object or a list')
      continue
    }
    const tokens = pointerTokens(path)
    const key = tokens.pop() ?? refuse('it is no JSON pointer')
    const parent = tokens.reduce<unknown>(childOf, current)
    if (!isContainer(parent)) return refuse('there is nothing at its path')
    const problem = Array.isArray(parent)
      ? editList(parent, op, key, structuredClone(value))
      : editObject(parent, op, key, structuredClone(value))
    if (problem) refuse(problem)
  }
  return current as T
}

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null

function childOf(parent: unknown, key: string): unknown {
  if (Array.isArray(parent)) return parent[indexIn(parent.length, key) ?? -1]
  if (!isContainer(parent) || !Object.hasOwn(parent, key)) return undefined
  return (parent as Record<string, unknown>)[key]
}

function editObject(
  parent: Record<string, unknown>,
  op: Edit['op'],
  key: string,
  value: unknown,
): string | undefined {
  if (op !== 'add' && !Object.hasOwn(parent, key)) return 'there is no such key'
  if (op === 'remove') delete parent[key]
  // Defined and not assigned, so that "__proto__" is a key like others.
  else Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true })
}

function editList(parent: unknown[], op: Edit['op'], key: string, value: unknown): string | undefined {
  if (op === 'add' && key === '-') {
    parent.push(value)
    return
  }
  const index = indexIn(op === 'add' ? parent.length + 1 : parent.length, key)
  if (index === undefined) return 'there is no such index'
  if (op === 'add') parent.splice(index, 0, value)
  else if (op === 'remove') parent.splice(index, 1)
  else parent[index] = value
}

/** Negative indices count from the end. */
function indexIn(length: number, key: string): number | undefined {
  if (!/^[+-]?\d+$/.test(key)) return
  const index = Number(key) < 0 ? Number(key) + length : Number(key)
  return index >= 0 && index < length ? index : undefined
}
