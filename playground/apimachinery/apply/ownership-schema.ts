import { modelSchema } from '../builtin/model-schemas.js'
import { canonical, has, isObject, type Json, type JsonObject } from '../json.js'
import type { ResourceDefinition } from '../resource-definition.js'
import type { Schema } from '../schema/schema.js'
import { propertySchema } from '../schema/walk.js'

/** A value cannot be read as its type says; the message begins with the path. */
export class TypedError extends Error {
  override readonly name = 'TypedError'
}

const roots = new WeakMap<Schema, Schema>()

/** The schema of a whole object: its own, with the type and the metadata that every object has. */
export function ownershipSchema({ schema }: ResourceDefinition): Schema {
  let root = roots.get(schema)
  if (!root) {
    const string: Schema = { type: 'string' }
    const properties = {
      ...schema.properties,
      apiVersion: string,
      kind: string,
      metadata: modelSchema('V1ObjectMeta'),
    }
    root = { ...schema, type: 'object', properties }
    roots.set(schema, root)
  }
  return root
}

/** What one value is to ownership: owned as a whole, or part by part. */
export type NodeKind = 'leaf' | 'map' | 'list'

/** Lists are owned as a whole unless their type says otherwise; objects part by part unless it says atomic. */
export function nodeKind(schema: Schema | undefined, value: Json): NodeKind {
  if (Array.isArray(value)) {
    const type = schema?.['x-kubernetes-list-type']
    return type === 'map' || type === 'set' ? 'list' : 'leaf'
  }
  if (!isObject(value)) return 'leaf'
  return schema?.['x-kubernetes-map-type'] === 'atomic' ? 'leaf' : 'map'
}

/** True when the type names this field; keys of a map are not fields. */
export const isField = (schema: Schema | undefined, key: string): boolean =>
  schema?.properties !== undefined && has(schema.properties, key)

/** The schema of a member; undefined for what the type says nothing of. */
export const memberSchema = (schema: Schema | undefined, key: string): Schema | undefined =>
  schema && propertySchema(schema, key)

/** What an item of an associative list is known by: `k:{"name":"web"}` or, in a set, `v:"x"`. */
export function itemElement(schema: Schema | undefined, item: Json): string {
  if (schema?.['x-kubernetes-list-type'] === 'set') return `v:${canonical(item)}`
  const keys = schema?.['x-kubernetes-list-map-keys'] ?? []
  if (!isObject(item)) throw new TypedError('associative list with keys may not have non-map elements')
  const values: Record<string, Json> = {}
  for (const key of [...keys].sort()) {
    const fallback = schema?.items?.properties?.[key]?.default
    if (has(item, key)) values[key] = item[key] as Json
    else if (fallback !== undefined) values[key] = fallback
    else {
      const detail = `associative list with keys has an element that omits key field ${JSON.stringify(key)} (and doesn't have default value)`
      throw new TypedError(detail)
    }
  }
  return `k:${canonical(values)}`
}

/**
 * The parts of built-in kinds that exist in every object, also an empty one: Go's structs without a pointer, and fields that
 * are written although they are empty (`=`).
 */
const POD_TEMPLATE = 'spec.template.metadata spec.template.spec.containers=null'
const STRUCTS: Readonly<Record<string, string>> = {
  CronJob: `spec.jobTemplate.metadata ${POD_TEMPLATE.replaceAll('spec.template', 'spec.jobTemplate.spec.template')}`,
  CustomResourceDefinition: 'spec.names status.acceptedNames',
  DaemonSet: `${POD_TEMPLATE} spec.updateStrategy`,
  Deployment: `${POD_TEMPLATE} spec.strategy`,
  Event:
    'involvedObject source firstTimestamp=null lastTimestamp=null eventTime=null reportingComponent="" reportingInstance=""',
  ClusterRole: 'rules=null',
  HorizontalPodAutoscaler: 'spec.scaleTargetRef',
  Ingress: 'status.loadBalancer',
  Job: POD_TEMPLATE,
  NetworkPolicy: 'spec.podSelector',
  Node: 'status.daemonEndpoints.kubeletEndpoint status.nodeInfo',
  PersistentVolumeClaim: 'spec.resources',
  Pod: 'spec.containers=null',
  PodTemplate: 'template.metadata template.spec.containers=null',
  ReplicaSet: POD_TEMPLATE,
  Role: 'rules=null',
  Service: 'status.loadBalancer',
  StatefulSet: `${POD_TEMPLATE} spec.serviceName="" spec.updateStrategy`,
}

/** The object that a new one is compared with: without content, but with the parts its type always has. */
export function emptyObject(definition: ResourceDefinition): JsonObject {
  const { custom, schema, kind } = definition
  const empty: Record<string, Json> = { metadata: {} }
  if (custom) return empty
  for (const part of ['spec', 'status']) if (isField(schema, part)) empty[part] = {}
  for (const part of STRUCTS[kind]?.split(' ') ?? []) {
    const [path = '', value = '{}'] = part.split('=')
    put(empty, path.split('.'), JSON.parse(value) as Json)
  }
  return empty
}

function put(object: Record<string, Json>, [key = '', ...rest]: readonly string[], value: Json): void {
  if (rest.length === 0) {
    object[key] = value
    return
  }
  const inner = { ...(isObject(object[key]) ? (object[key] as JsonObject) : {}) }
  object[key] = inner
  put(inner, rest, value)
}
