import type { Document } from 'yaml'
import { documentsIn, isEmpty, requireYaml, writtenOf } from '../editor/manifest.js'
import { ManifestError } from '../editor/manifest-problem.js'
import type { Change } from './changes.js'
import { at, text as textIn } from './reading.js'
import { type FormProblem, misfitOf, type Shape } from './shape.js'

/** Longer texts, in characters, have no form: the form parses the text after each key. */
const MOST_CHARACTERS = 1_000_000

/** An object of a text, as forms read it. */
export interface FormObject {
  /** The index of its document in the text. */
  readonly index: number
  readonly apiVersion: string
  readonly kind: string
  /** Empty while it has none. */
  readonly name: string
  /** Empty where it has none. */
  readonly namespace: string
  readonly object: unknown
}

/** The objects that a form can edit, or why there is no form. */
export type FormText = { readonly objects: readonly FormObject[] } | { readonly problem: FormProblem }

/**
 * The objects of a text. They need no names yet.
 * @param shapeOf the fields that the form uses in an object of a kind; undefined for kinds that it does not use
 */
export function formTextOf(text: string, shapeOf: (kind: string) => Shape | undefined): FormText {
  if (text.length > MOST_CHARACTERS) return { problem: { is: 'long', most: MOST_CHARACTERS } }
  try {
    const objects: FormObject[] = []
    for (const [index, document] of documentsIn(text).entries()) {
      if (isEmpty(document)) continue
      requireYaml(document)
      const kind = String(document.has?.('kind') ? document.get('kind') : '')
      const shape = shapeOf(kind)
      const misfit = misfitOf(document, shape ?? {})
      if (misfit) return { problem: misfit }
      const object: unknown = document.toJS()
      objects.push({
        ...{ index, kind, object },
        apiVersion: textIn(at(object, 'apiVersion')),
        name: textIn(at(object, 'metadata', 'name')),
        namespace: textIn(at(object, 'metadata', 'namespace')),
      })
    }
    return objects.length === 0 ? { problem: { is: 'empty' } } : { objects }
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error
    return { problem: { is: 'unread', problem: error.problem, line: lineAt(text, error.at) } }
  }
}

/** The line of an offset, counted from 1. */
const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length

/** The text after changes of one document; the others stay as they are. */
export const changedObject = (text: string, index: number, ...changes: readonly Change[]): string =>
  changedText(text, documents => {
    const document = documents[index]
    if (document) for (const change of changes) change(document)
  })

/** The text after a change of its documents. */
export function changedText(text: string, change: (documents: Document[]) => void): string {
  const documents: Document[] = [...documentsIn(text)]
  change(documents)
  return documents.map((document, index) => written(document, index > 0)).join('')
}

/** The text of a document, with `---` before it where it follows another or began so. */
function written(document: Document, isNext: boolean): string {
  const text = writtenOf(document)
  return isNext && !/^(%.*\n|---)/.test(text) ? `---\n${text}` : text
}
