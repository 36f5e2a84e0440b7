import { type DescMethod, getOption, hasOption, type Message } from '@bufbuild/protobuf'
import { type ObjectAction, type Permission, permission } from '../../proto/gen/kairship/permission_pb.js'
import { fieldAt } from '../../transcoding/binding.js'
import type { Template } from '../../transcoding/template.js'
import type { AuditTarget } from '../audit/record.js'
import { fieldValue } from './required-fields.js'

/** Of a permission that its proto describes by the object, all that follows from it. */
const ON_THE_HOST = { resource: 'instances/proxy', nameField: 'instance' } as const
/** The verb that the proxy needs for each verb inside an instance: that of the method. */
const HOST_VERBS: Readonly<Record<string, string>> = {
  ...{ get: 'get', list: 'get', watch: 'get' },
  ...{ create: 'create', update: 'update', patch: 'patch', delete: 'delete' },
}
/** Verbs of one object: without its name they would be of all. */
const OF_ONE = new Set(['get', 'update', 'patch', 'delete'])
/** Verbs of many objects, where a `name` is a part of names. */
const OF_MANY = new Set(['list', 'watch'])

/** Where a request says what it is about inside an instance, in proto names; absent where it has no such field. */
export interface ObjectFields {
  readonly action: ObjectAction
  readonly namespace?: string
  readonly name?: string
  readonly cluster?: string
}

/** What a method's proto demands of its caller, completed; undefined where the proto has no permission: then every call is denied. */
export function permissionOf(method: DescMethod): Permission | undefined {
  if (!hasOption(method, permission)) return undefined
  const given = getOption(method, permission)
  if (!given.object) return given
  const verb = HOST_VERBS[given.object.verb]
  if (!verb)
    throw wrong(method, `has the verb ${JSON.stringify(given.object.verb)}, which is none of an API server`)
  if (given.verb || given.resource || given.nameField || given.anyCaller)
    throw wrong(method, 'says beside the object what follows from it')
  return { ...given, ...ON_THE_HOST, verb }
}

/**
 * The fields that name a method's object.
 * @throws Error at start where the request cannot name what the verb is about
 */
export function objectFieldsOf(method: DescMethod): ObjectFields | undefined {
  const action = hasOption(method, permission) ? getOption(method, permission).object : undefined
  if (!action) return undefined
  const { input } = method
  const found = (given: string, usual: string): string | undefined => {
    if (given && !fieldAt(input, given))
      throw wrong(method, `names the field ${given}, which ${input.name} lacks`)
    return given || (fieldAt(input, usual) ? usual : undefined)
  }
  const namespace = found(action.namespaceField, 'namespace')
  const name = action.nameField || !OF_MANY.has(action.verb) ? found(action.nameField, 'name') : undefined
  const cluster = found(action.clusterField, 'cluster')
  if (action.namedByManifest && (action.verb !== 'update' || !fieldAt(input, 'data')))
    throw wrong(method, 'is named by a manifest, so it must be an update with the field data')
  if (OF_ONE.has(action.verb) && !name && !action.namedByManifest)
    throw wrong(method, `would ${action.verb} one ${action.resource} that its request cannot name`)
  return { action, ...(namespace && { namespace }), ...(name && { name }), ...(cluster && { cluster }) }
}

/**
 * The fields without which a call would be about something else than its path says: those in every path of the method, and
 * those that name its object.
 */
export function namingFieldsOf(
  paths: readonly Template[],
  object: ObjectFields | undefined,
): readonly string[] {
  const [first, ...others] = paths.map(
    ({ segments }) =>
      new Set(segments.flatMap(segment => ('field' in segment && segment.field ? [segment.field] : []))),
  )
  const inAll = [...(first ?? [])].filter(field => others.every(fields => fields.has(field)))
  return [...new Set([...inAll, ...(object?.name ? [object.name] : [])])]
}

/** What a call is about inside an instance, for its audit record. */
export function targetOf(
  { action, namespace, name, cluster }: ObjectFields,
  request: Message | undefined,
): AuditTarget {
  const read = (field: string | undefined) => (request && field ? fieldValue(request, field) : '')
  const [group, version, resource] = action.resource
    ? [action.group, action.version, action.resource]
    : [read('group'), read('version'), read('resource')]
  const found = { namespace: read(namespace), name: read(name), cluster: read(cluster) }
  return {
    instance: read('instance'),
    verb: action.verb,
    group,
    version,
    resource,
    ...Object.fromEntries(Object.entries(found).filter(([, value]) => value !== '')),
  }
}

const wrong = (method: DescMethod, problem: string) =>
  new Error(`${method.parent.typeName}.${method.name}: its permission ${problem}`)
