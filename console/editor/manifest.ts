import {
  Document,
  isMap,
  isScalar,
  parseAllDocuments,
  parseDocument,
  Scalar,
  type Tags,
  visit,
  type YAMLError,
} from 'yaml'
import { isJsonObject } from '../../transcoding/json-object.js'
import type { KubeObject } from '../kube/object.js'
import { ManifestError } from './manifest-problem.js'

/** One object as somebody wrote it. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  /** Empty where it has none. */
  readonly namespace: string
  readonly name: string
  /** Characters before it in the text. */
  readonly from: number
  readonly to: number
  readonly document: Document.Parsed
}

/** What the server alone writes, or what is its own record: no reader edits it. */
const OWN = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'selfLink',
  'managedFields',
] as const

/**
 * As API servers read it (YAML 1.1: `yes` is true), so that a text means the same here and there. A time is a text in Kubernetes, and whole
 * numbers beyond 2^53 stay exact.
 */
const READING = {
  version: '1.1',
  intAsBigInt: true,
  // The library compares each key with each other: a text of 11,500 keys took 4.4 s, and with `repeatedKeyIn` 0.4 s.
  uniqueKeys: false,
  customTags: (tags: Tags): Tags =>
    tags.filter(tag => typeof tag === 'string' || !/timestamp|binary|omap|pairs|set$/.test(tag.tag)),
} as const

const WRITING = { lineWidth: 0, indentSeq: false } as const

/**
 * The manifests of a text, which are divided by `---`. Empty ones are left out.
 * @throws ManifestError where it is no YAML, or one is no object with apiVersion, kind and name
 */
export function manifestsIn(text: string): Manifest[] {
  return documentsIn(text)
    .filter(document => !isEmpty(document))
    .map(manifestOf)
}

/** The documents of a text, empty ones as well. Those that are no YAML have errors. */
export const documentsIn = (text: string): readonly Document.Parsed[] => [...parseAllDocuments(text, READING)]

/** Requires a document to be YAML in which no key comes twice in one mapping. @throws ManifestError */
export function requireYaml(document: Document.Parsed): void {
  const [error] = document.errors
  if (error) throw noYaml(error)
  const repeated = repeatedKeyIn(document)
  if (repeated) throw new ManifestError({ is: 'repeatedKey', key: repeated.key }, repeated.at)
}

function noYaml({ code, message, pos: [at], linePos }: YAMLError): ManifestError {
  const [{ line, col: column } = { line: 1, col: 1 }] = linePos ?? []
  // Lines of the text follow.
  const [first = message] = message.split('\n')
  return new ManifestError({ is: 'noYaml', code, message: first, line, column }, at)
}

function repeatedKeyIn(document: Document): { readonly key: string; readonly at: number } | undefined {
  let found: { readonly key: string; readonly at: number } | undefined
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        // `<<` is no key: API servers take several of it.
        if (!isScalar(key) || typeof key.value === 'symbol') continue
        // An API server reads all keys as texts: `1` and `"1"` are one.
        const name = String(key.value)
        if (seen.has(name)) {
          found = { key: name, at: key.range?.[0] ?? 0 }
          return visit.BREAK
        }
        seen.add(name)
      }
      return undefined
    },
  })
  return found
}

/** Whether a document has nothing in it but comments. */
export const isEmpty = ({ contents, errors }: Document.Parsed): boolean =>
  errors.length === 0 && (contents === null || (isScalar(contents) && contents.value === null))

function manifestOf(document: Document.Parsed): Manifest {
  requireYaml(document)
  const [from = 0, , to = from] = document.contents?.range ?? []
  if (!isMap(document.contents)) throw new ManifestError({ is: 'noMapping' }, from)
  const [apiVersion, kind] = [textAt(document, ['apiVersion']), textAt(document, ['kind'])]
  const [namespace, name] = [
    textAt(document, ['metadata', 'namespace']),
    textAt(document, ['metadata', 'name']),
  ]
  if (!apiVersion) throw new ManifestError({ is: 'missing', field: 'apiVersion' }, from)
  if (!kind) throw new ManifestError({ is: 'missing', field: 'kind' }, from)
  if (!name) throw new ManifestError({ is: 'missing', field: 'metadata.name' }, from)
  return { apiVersion, kind, namespace: namespace ?? '', name, from, to, document }
}

function textAt(document: Document, path: readonly string[]): string | undefined {
  const value: unknown = document.hasIn(path) ? document.getIn(path) : undefined
  return typeof value === 'string' ? value : undefined
}

/** An object as a person edits it: without what the server alone writes, and without its status. */
export function textOf(object: KubeObject): string {
  const { apiVersion, kind, metadata, status: _, ...rest } = object
  const shown = Object.fromEntries(
    Object.entries(metadata).filter(([field]) => !OWN.includes(field as never)),
  )
  const document = new Document(
    { apiVersion, kind, metadata: shown, ...rest },
    { version: '1.1', aliasDuplicateObjects: false },
  )
  return writtenOf(document)
}

/**
 * Whether a text is lines of nothing but white space. The library writes them as a block, and the first of them is then taken for indentation:
 * `" \n"` was read as `"\n"` (yaml 2.9.1; a property in form-text.test.ts found it). A pattern for it takes the square of the length of many
 * empty lines before another character, which a ConfigMap may have.
 */
const isBlankLines = (text: string): boolean => text.includes('\n') && text.trim() === ''

/** The text of a document that was changed: what was not touched stays, with its comments. */
export function writtenOf(document: Document): string {
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && isBlankLines(node.value)) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return document.toString(WRITING)
}

/** What a change is made to: it is refused where the object has changed since. */
export interface Unchanged {
  readonly uid: string
  readonly resourceVersion: string
  /** Sent back as it was: a type without the subresource would lose it. */
  readonly status?: unknown
}

/** The text that is sent for a manifest; what the reader wrote goes before what was read. */
export function bodyOf({ document }: Manifest, base?: Unchanged): string {
  const sent = document.clone() as Document
  const setMissing = (path: readonly string[], value: unknown) => {
    if (value !== undefined && value !== '' && !sent.hasIn(path)) sent.setIn(path, sent.createNode(value))
  }
  setMissing(['metadata', 'uid'], base?.uid)
  setMissing(['metadata', 'resourceVersion'], base?.resourceVersion)
  setMissing(['status'], base?.status)
  return writtenOf(sent)
}

/** Whole numbers of 16 digits or more, which a `number` may not hold. */
const LARGE_NUMBER = /[:[,]\s*-?\d{16,}\s*[,}\]]/

/** An answer of an API server. Numbers that a `number` cannot hold are `bigint`. @throws SyntaxError */
export function objectIn(json: string): KubeObject {
  const object: unknown = LARGE_NUMBER.test(json) ? parseDocument(json, READING).toJS() : JSON.parse(json)
  if (!isJsonObject(object) || !isJsonObject(object.metadata))
    throw new SyntaxError('the answer is no Kubernetes object')
  return object as unknown as KubeObject
}
