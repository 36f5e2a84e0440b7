import { type Document, isMap, isScalar, isSeq, visit } from 'yaml'
import type { ManifestProblem } from '../editor/manifest-problem.js'

/** The structure that a form needs: mappings by field, lists by item. Other fields may have any structure. */
export type Shape = { readonly [field: string]: Shape } | readonly Shape[]

/** Why a text has no form. */
export type FormProblem =
  | { readonly is: 'empty' }
  | { readonly is: 'several' }
  /** Too long for a form, in characters. */
  | { readonly is: 'long'; readonly most: number }
  /** The text has no object of the form's kind. */
  | { readonly is: 'otherKind'; readonly kind: string }
  /** A change of an aliased value would change all its places, and a few lines of aliases expand to gigabytes. */
  | { readonly is: 'aliases'; readonly name: string }
  /** A field that the form writes has another structure. */
  | { readonly is: 'noList' | 'noMapping' | 'otherKeys'; readonly path: string }
  /** The text cannot be parsed. */
  | { readonly is: 'unread'; readonly problem: ManifestProblem; readonly line: number }

/** Why a form cannot edit a document without losing or guessing; undefined where it can. */
export function misfitOf(document: Document, shape: Shape): FormProblem | undefined {
  let name: string | undefined
  visit(document, {
    Alias(_, { source }) {
      name = source
      return visit.BREAK
    },
  })
  if (name !== undefined) return { is: 'aliases', name }
  return misfitIn(document.contents, shape, '')
}

function misfitIn(node: unknown, shape: Shape, path: string): FormProblem | undefined {
  if (node === undefined || node === null || (isScalar(node) && node.value === null)) return undefined
  if (isList(shape)) {
    if (!isSeq(node)) return { is: 'noList', path }
    const [item] = shape
    return item && firstOf(node.items, (each, index) => misfitIn(each, item, `${path}[${index}]`))
  }
  if (!isMap(node)) return { is: 'noMapping', path }
  // Forms find fields by string keys: the key `1` is a number, and the form would add it a second time.
  if (!node.items.every(({ key }) => isScalar(key) && typeof key.value === 'string'))
    return { is: 'otherKeys', path }
  return firstOf(Object.entries(shape), ([field, below]) =>
    misfitIn(node.get(field, true), below, path === '' ? field : `${path}.${field}`),
  )
}

const isList = (shape: Shape): shape is readonly Shape[] => Array.isArray(shape)

function firstOf<T, R>(items: readonly T[], find: (item: T, index: number) => R | undefined): R | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index)
    if (found !== undefined) return found
  }
  return undefined
}
