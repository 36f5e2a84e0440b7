import {
  boolYaml11Tag,
  FAILSAFE_SCHEMA,
  floatYaml11Tag,
  intYaml11Tag,
  loadAll,
  mergeTag,
  NOT_RESOLVED,
  nullYaml11Tag,
} from 'js-yaml'
import type { KubeObject } from '../../manifests/kube.js'
import { hasMoreValues } from '../../ports/json-values.js'
import { type FieldViolation, invalidFields } from '../errors/failure.js'
import { MOST_VALUES } from '../limits/request-size.js'
import { apiVersionOf, type ObjectKey, type ObjectType } from './object-type.js'
import { hasMoreYamlValues } from './yaml-values.js'

/** etcd stores no object of more than 1.5 MiB unless configured to; YAML is longer than the JSON that is stored. */
const LARGEST_MANIFEST = 2 << 20
/** Each alias may stand for all that was written before it. */
const MOST_ALIASES = 10
/** Lines that may begin a document; more are several documents, whatever is in them. */
const MOST_MARKERS = 16

/** What a manifest must be about. Without a name the manifest gives it, or has it generated. */
export interface Wanted extends Partial<ObjectKey> {
  readonly type: ObjectType
  /** The request's field that holds the manifest. */
  readonly field?: string
}

/**
 * Reads the one object of a manifest, JSON or YAML. What it does not say of its type and place is filled in, and all else it
 * says is kept. The namespace of the path replaces that of the manifest.
 * @throws Failure INVALID_ARGUMENT with the wrong place in the field
 */
export function manifestOf(data: string, { type, namespace, name, field = 'data' }: Wanted): KubeObject {
  const object = documentOf(data, field)
  if (!isRecord(object)) throw wrong(field, 'is not an object')
  const metadata = object.metadata ?? {}
  if (!isRecord(metadata)) throw wrong(`${field}.metadata`, 'is not an object')
  const apiVersion = apiVersionOf(type)
  const violations = [
    ...expected(`${field}.apiVersion`, object.apiVersion, apiVersion),
    ...expected(`${field}.kind`, object.kind, type.kind),
    ...(name === undefined ? [] : expected(`${field}.metadata.name`, metadata.name, name)),
    ...texts(`${field}.metadata`, metadata, ['name', 'generateName', 'namespace', 'resourceVersion', 'uid']),
    ...(type.namespaced || !metadata.namespace
      ? []
      : [
          {
            field: `${field}.metadata.namespace`,
            description: `must be absent: a ${type.kind} has no namespace`,
          },
        ]),
  ]
  const named = name ?? metadata.name
  if (!named && (name !== undefined || !metadata.generateName))
    violations.push({ field: `${field}.metadata.name`, description: 'is required' })
  if (violations.length > 0) throw invalidFields(violations)
  return {
    ...object,
    apiVersion,
    kind: type.kind,
    metadata: {
      ...metadata,
      ...(named !== undefined && { name: named as string }),
      ...(type.namespaced && namespace && { namespace }),
    } as KubeObject['metadata'],
  }
}

/**
 * Reads a manifest that may be of one of several types.
 * @throws Failure INVALID_ARGUMENT, for another type with those that may be
 */
export function manifestAmong(data: string, types: readonly ObjectType[], field = 'data'): KubeObject {
  const object = documentOf(data, field)
  const type = isRecord(object)
    ? types.find(one => apiVersionOf(one) === object.apiVersion && one.kind === object.kind)
    : undefined
  if (type) return manifestOf(data, { type, field })
  const wanted = types.map(one => `${apiVersionOf(one)} ${one.kind}`).join(', ')
  throw wrong(field, `must be one of these, with its apiVersion and kind: ${wanted}`)
}

/** The value of the one document, JSON or YAML, of any caller: bounded in size, values, depth and aliases. @throws Failure INVALID_ARGUMENT */
export function documentOf(data: string, field: string): unknown {
  if (Buffer.byteLength(data) > LARGEST_MANIFEST)
    throw wrong(field, `is larger than ${LARGEST_MANIFEST >> 20} MiB, more than is stored of any object`)
  if (/^\s*\{/.test(data)) {
    if (hasMoreValues(data, MOST_VALUES)) throw tooManyValues(field)
    try {
      return JSON.parse(data)
    } catch {
      // It may be YAML in its flow style; its parser says best what is wrong.
    }
  }
  if ([...data.matchAll(/^---/gm)].length > MOST_MARKERS)
    throw wrong(field, 'holds several documents: it must hold exactly one')
  if (hasMoreYamlValues(data, MOST_VALUES)) throw tooManyValues(field)
  let documents: readonly unknown[]
  try {
    documents = loadAll(data, { schema: AS_GO_READS, maxAliases: MOST_ALIASES })
  } catch (error) {
    throw wrong(field, `is neither JSON nor YAML: ${withoutQuotes(error)}`)
  }
  if (documents.length !== 1)
    throw wrong(field, `holds ${documents.length} documents: it must hold exactly one`)
  return documents[0]
}

const tooManyValues = (field: string) =>
  wrong(field, `has more than ${MOST_VALUES} values: send a larger manifest through the instance’s proxy`)

/** What the parser says and where, without the words of the text that it quotes: a password that begins with `*` is an alias to it. */
function withoutQuotes(error: unknown): string {
  const [why = ''] = error instanceof Error ? error.message.split('\n', 1) : []
  return why.replace(/ (?:".*"|!<.*>)/, '')
}

/** `22:22` was a number of base 60 in YAML 1.1, but is text to Go's parser. */
const notSixty = <Tag extends { resolve: (...args: never[]) => unknown }>(tag: Tag): Tag => ({
  ...tag,
  resolve: (...args: Parameters<Tag['resolve']>) =>
    String(args[0]).includes(':') ? NOT_RESOLVED : tag.resolve(...args),
})

/**
 * Kubernetes' tools read YAML 1.1 with Go's parser: `on` is true and 0644 is octal there, and dates are text. In 1.2 a
 * `defaultMode: 0644` would be another mode.
 */
const AS_GO_READS = FAILSAFE_SCHEMA.withTags(
  nullYaml11Tag,
  boolYaml11Tag,
  notSixty(intYaml11Tag),
  notSixty(floatYaml11Tag),
  mergeTag,
)

function expected(field: string, value: unknown, wanted: string): FieldViolation[] {
  if (value === undefined || value === wanted) return []
  return [{ field, description: `is ${JSON.stringify(value)}, but must be ${JSON.stringify(wanted)}` }]
}

const texts = (
  field: string,
  record: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): FieldViolation[] =>
  keys
    .filter(key => record[key] !== undefined && typeof record[key] !== 'string')
    .map(key => ({ field: `${field}.${key}`, description: 'must be text' }))

const wrong = (field: string, description: string) => invalidFields([{ field, description }])

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads a patch, JSON or YAML: an object, whose meaning is that of its type. @throws Failure INVALID_ARGUMENT */
export function patchOf(data: string, field = 'data'): Readonly<Record<string, unknown>> {
  const patch = documentOf(data, field)
  if (isRecord(patch)) return patch
  throw wrong(field, 'is not an object: send the fields to change')
}
