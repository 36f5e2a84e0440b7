import { type Document, isMap, isScalar, isSeq, visit } from 'yaml'
import type { ManifestProblem } from '../editor/manifest-problem.js'

/** What a form goes through: mappings by their fields, lists by what is in them. Fields that it does not name may have any shape. */
export type Shape = { readonly [field: string]: Shape } | readonly Shape[]

/** Why a text has no form. */
export type FormProblem =
  | { readonly is: 'empty' }
  | { readonly is: 'several' }
  /** Too long for a form, by its characters. */
  | { readonly is: 'long'; readonly most: number }
  /** It has no object of the form's kind. */
  | { readonly is: 'otherKind'; readonly kind: string }
  /** What an alias repeats would be changed in all its places, and a few lines of them are gigabytes when read out. */
  | { readonly is: 'aliases'; readonly name: string }
  /** A field has another shape where the form would write. */
  | { readonly is: 'noList' | 'noMapping' | 'otherKeys'; readonly path: string }
  /** It cannot be read. */
  | { readonly is: 'unread'; readonly problem: ManifestProblem; readonly line: number }

/** Why a form cannot edit a document without losing or guessing something; undefined where it can. */
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
  // A form finds fields by their names: the key `1` is no text, and would be added a second time.
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
