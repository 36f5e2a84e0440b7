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
import { NestedTooDeep } from '../kube/kube-error.js'
import type { KubeObject } from '../kube/object.js'
import { ManifestError } from './manifest-problem.js'

/** A manifest in a text. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  /** Empty where the manifest has none. */
  readonly namespace: string
  readonly name: string
  /** The offset of the manifest in the text. */
  readonly from: number
  readonly to: number
  readonly document: Document.Parsed
}

/** Metadata that only the server writes; it is not shown in the editor. */
const SERVER_FIELDS = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'selfLink',
  'managedFields',
] as const

/**
 * API servers read YAML 1.1 (`yes` is true), so the console does as well. Timestamps stay strings, as in Kubernetes, and integers beyond 2^53 stay
 * exact.
 */
const PARSE_OPTIONS = {
  version: '1.1',
  intAsBigInt: true,
  // The library compares all pairs of keys: a text of 11,500 keys took 4.4 s, and 0.4 s with `repeatedKeyIn`.
  uniqueKeys: false,
  customTags: (tags: Tags): Tags =>
    tags.filter(tag => typeof tag === 'string' || !/timestamp|binary|omap|pairs|set$/.test(tag.tag)),
} as const

const WRITE_OPTIONS = { lineWidth: 0, indentSeq: false } as const

/**
 * The manifests of a text, separated by `---`. Empty ones are skipped.
 * @throws ManifestError where the text is no YAML, or a manifest lacks apiVersion, kind or name
 */
export function manifestsIn(text: string): Manifest[] {
  return documentsIn(text)
    .filter(document => !isEmpty(document))
    .map(manifestOf)
}

/** The YAML documents of a text, with empty ones. Invalid documents have errors. */
export const documentsIn = (text: string): readonly Document.Parsed[] => [
  ...parseAllDocuments(text, PARSE_OPTIONS),
]

/** Checks that a document is valid YAML without repeated keys. @throws ManifestError */
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
        // `<<` is not an ordinary key: API servers accept several of it.
        if (!isScalar(key) || typeof key.value === 'symbol') continue
        // API servers read all keys as strings: `1` and `"1"` are the same key.
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

/** Whether a document is empty or has only comments. */
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

/** The YAML of an object for the editor: without its status and metadata that only the server writes. @throws NestedTooDeep */
export function textOf(object: KubeObject): string {
  try {
    return yamlOf(object)
  } catch (error) {
    // The library recurses, and the stack ends.
    throw error instanceof RangeError
      ? new NestedTooDeep('the object is nested too deeply', { cause: error })
      : error
  }
}

function yamlOf(object: KubeObject): string {
  const { apiVersion, kind, metadata, status: _, ...rest } = object
  const shown = Object.fromEntries(
    Object.entries(metadata).filter(([field]) => !SERVER_FIELDS.includes(field as never)),
  )
  const document = new Document(
    { apiVersion, kind, metadata: shown, ...rest },
    { version: '1.1', aliasDuplicateObjects: false },
  )
  return writtenOf(document)
}

/**
 * Whether a string has only blank lines. The library writes such a string as a block, and its first line is then read as indentation: `" \n"` was
 * read as `"\n"` (yaml 2.9.1; a property in form-text.test.ts found it). A regular expression would need quadratic time for many empty lines before
 * another character, which a ConfigMap may have.
 */
const isBlankLines = (text: string): boolean => text.includes('\n') && text.trim() === ''

/** The YAML of a changed document. Unchanged parts stay as they were, with their comments. */
export function writtenOf(document: Document): string {
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && isBlankLines(node.value)) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return document.toString(WRITE_OPTIONS)
}

/** The version that a change is based on: the server refuses the change where the object has changed since. */
export interface Precondition {
  readonly uid: string
  readonly resourceVersion: string
  /** Sent back unchanged: a type without the status subresource would lose it. */
  readonly status?: unknown
}

/** The request body of a manifest. Fields of the text win over those of `base`. */
export function bodyOf({ document }: Manifest, base?: Precondition): string {
  const sent = document.clone() as Document
  const setMissing = (path: readonly string[], value: unknown) => {
    if (value !== undefined && value !== '' && !sent.hasIn(path)) sent.setIn(path, sent.createNode(value))
  }
  setMissing(['metadata', 'uid'], base?.uid)
  setMissing(['metadata', 'resourceVersion'], base?.resourceVersion)
  setMissing(['status'], base?.status)
  return writtenOf(sent)
}

/** Matches integers of 16 digits or more, which a `number` may not hold exactly. */
const LARGE_NUMBER = /[:[,]\s*-?\d{16,}\s*[,}\]]/

/** Parses an object that an API server sent. Numbers that a `number` cannot hold become `bigint`. @throws SyntaxError */
export function objectIn(json: string): KubeObject {
  const object: unknown = LARGE_NUMBER.test(json)
    ? parseDocument(json, PARSE_OPTIONS).toJS()
    : JSON.parse(json)
  if (!isJsonObject(object) || !isJsonObject(object.metadata))
    throw new SyntaxError('the answer is no Kubernetes object')
  return object as unknown as KubeObject
}
