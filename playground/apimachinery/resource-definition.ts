import type { FieldError } from './field-error.js'
import type { Json, JsonObject } from './json.js'
import type { Schema } from './schema/schema.js'

/**
 * Everything the API server must know about one served resource type in one version: its names, its schema and the rules
 * its registry applies. Immutable, and shared by all logical clusters of a process.
 */
export interface ResourceDefinition {
  /** '' is the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  /** The verbs of discovery: create, delete, deletecollection, get, list, patch, update, watch; reviews know create only. */
  readonly verbs: readonly string[]
  readonly subresources: Subresources
  readonly schema: Schema
  readonly printerColumns: readonly PrinterColumn[]
  /** The fields a field selector may name besides metadata.name and metadata.namespace; absent means no others. */
  readonly selectableFields?: (object: JsonObject) => Readonly<Record<string, string>>
  readonly strategy?: Strategy
  /** True for types that a CustomResourceDefinition declares. */
  readonly custom: boolean
  /** A custom type whose CRD asks for `spec.preserveUnknownFields: true`: nothing is pruned. */
  readonly preserveUnknownFields?: boolean
}

export interface Subresources {
  /** `status` is written through its own subresource: the main resource ignores it and it ignores all else. */
  readonly status?: true
  readonly scale?: ScalePaths
  /** Subresources beyond status and scale, for discovery and routing (finalize, eviction, token, approval, log …). */
  readonly others?: readonly Subresource[]
}

/** Dotted paths into the object, as in a CRD: `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

/** One further subresource. `group` and `version` are those of the body's kind where they differ from the resource's. */
export interface Subresource {
  readonly name: string
  readonly kind: string
  readonly group?: string
  readonly version?: string
  readonly verbs: readonly string[]
}

/** One column of `kubectl get`. Its cell comes from `jsonPath` (custom types) or from `value` (built-in types). */
export interface PrinterColumn {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  /** `name` marks the column that holds the object's name. */
  readonly format?: string
  readonly description: string
  /** 0 is always shown; larger numbers only with `-o wide`. */
  readonly priority: number
  readonly jsonPath?: string
  readonly value?: (object: JsonObject, now: Date) => Json
}

/** What a type's registry does around a write. Each returns a new object or the same; none reads a clock or the network. */
export interface Strategy {
  /** Defaults that depend on other fields; the schema's own are applied before. Runs on every body that is read. */
  readonly defaults?: (object: JsonObject) => JsonObject
  /** Drops what a client may not set on create (status, counters) and fills what the server chooses without outside help. */
  readonly prepareForCreate?: (object: JsonObject) => JsonObject
  /** Fills what follows from the uid that the server gave a new object. */
  readonly settleCreate?: (object: JsonObject) => JsonObject
  /** Carries over what an update through the main resource may not change. */
  readonly prepareForUpdate?: (object: JsonObject, old: JsonObject) => JsonObject
  /** What an update makes obsolete, taken back after it was noted who owns what. */
  readonly settleUpdate?: (object: JsonObject, old: JsonObject) => JsonObject
  /** Rules beyond the schema; `old` is absent on create. */
  readonly validate?: (object: JsonObject, old?: JsonObject) => readonly FieldError[]
  /** True when an update of the main resource counts as a new generation; by default when anything but metadata and status changed. */
  readonly bumpsGeneration?: (object: JsonObject, old: JsonObject) => boolean
  /** An object of this kind has no `metadata.generation` at all (ConfigMap, Secret, Namespace …). */
  readonly withoutGeneration?: true
  /** The format of `metadata.name`; a DNS-1123 subdomain unless said. */
  readonly nameFormat?: (name: string) => readonly string[]
  /** A PUT to a name that does not exist creates it (leases, endpoints, events, limit ranges …). */
  readonly allowsCreateOnUpdate?: true
  /** An update may leave metadata.resourceVersion out (most built-in kinds); custom types must send it. */
  readonly allowsUnconditionalUpdate?: true
}

/** The verbs of a type that is stored. */
export const STORED_VERBS = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
] as const

/** `apps/v1`, or `v1` for the core group. */
export const apiVersionOf = ({
  group,
  version,
}: {
  readonly group: string
  readonly version: string
}): string => (group === '' ? version : `${group}/${version}`)
