import type { JsonObject } from '../json.js'
import { apiVersionOf, type ResourceDefinition } from '../resource-definition.js'

/** One operation before it is written in a dialect. */
export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  readonly id: string
  readonly description: string
  readonly action: string
  readonly parameters: readonly Parameter[]
  /** What the body is: nothing, an object of the kind, a patch, delete options, or a generated model. */
  readonly body?: 'object' | 'patch' | 'delete' | { readonly model: string }
  readonly answer: 'object' | 'list' | 'status' | { readonly model: string }
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string }
}

/** One path with its operations. */
export interface PathItem {
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly operations: readonly Operation[]
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly type: 'string' | 'boolean' | 'integer'
  readonly description: string
}

const query = (name: string, description: string, type: Parameter['type'] = 'string'): Parameter => ({
  name,
  in: 'query',
  type,
  description,
})

const DRY_RUN = query('dryRun', 'All: go through every stage of the request, but store nothing.')
const FIELD_MANAGER = query(
  'fieldManager',
  'Who makes the change, at most 128 printable characters; required to apply.',
)
const FIELD_VALIDATION = query(
  'fieldValidation',
  'What becomes of unknown and duplicate fields: Ignore, Warn or Strict.',
)
const FORCE = query('force', 'Take fields over from other managers when applying.', 'boolean')
const PRETTY = query('pretty', 'Indent the answer.')
const WRITE = [DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION]
const DELETE = [
  DRY_RUN,
  query('gracePeriodSeconds', 'Seconds before the object goes; 0 is at once.', 'integer'),
  query('orphanDependents', 'Deprecated: use propagationPolicy.', 'boolean'),
  query('propagationPolicy', 'What becomes of dependents: Orphan, Background or Foreground.'),
]
const LIST = [
  query('allowWatchBookmarks', 'Send BOOKMARK events while watching.', 'boolean'),
  query('continue', 'Token of the next page, from the answer to the last one.'),
  query('fieldSelector', 'Only objects whose fields match.'),
  query('labelSelector', 'Only objects whose labels match.'),
  query('limit', 'How many objects a page holds at most.', 'integer'),
  query('resourceVersion', 'Version the answer must be at or after.'),
  query('resourceVersionMatch', 'Exact or NotOlderThan.'),
  query('sendInitialEvents', 'Begin a watch with the objects there are.', 'boolean'),
  query('timeoutSeconds', 'Seconds until the server ends the request.', 'integer'),
  query('watch', 'Answer with a stream of changes.', 'boolean'),
]
const NAMESPACE: Parameter = {
  name: 'namespace',
  in: 'path',
  type: 'string',
  description: 'Namespace of the object.',
}

/** The paths under which a kind is served, with everything that can be done there. */
export function pathItems(definition: ResourceDefinition): readonly PathItem[] {
  const { group, namespaced, plural, verbs } = definition
  const root = group === '' ? '/api' : '/apis'
  const base = `${root}/${apiVersionOf(definition)}`
  const collection = namespaced ? `${base}/namespaces/{namespace}/${plural}` : `${base}/${plural}`
  const scope = namespaced ? [NAMESPACE, PRETTY] : [PRETTY]
  const named = [
    { name: 'name', in: 'path', type: 'string', description: `Name of the ${definition.kind}.` } as const,
    ...scope,
  ]
  const items: PathItem[] = [
    { path: collection, parameters: scope, operations: collectionOperations(definition) },
    { path: `${collection}/{name}`, parameters: named, operations: objectOperations(definition) },
  ]
  if (namespaced && verbs.includes('list')) {
    const operations = [listOperation(definition, 'ForAllNamespaces')]
    items.push({ path: `${base}/${plural}`, parameters: [PRETTY], operations })
  }
  for (const { path, operations } of subresourceOperations(definition)) {
    items.push({ path: `${collection}/{name}/${path}`, parameters: named, operations })
  }
  return items.filter(({ operations }) => operations.length > 0)
}

const pascal = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `AppsV1Namespaced`, as operation ids have it. */
function idPart({ group, version, namespaced }: ResourceDefinition): string {
  const name =
    group === ''
      ? 'Core'
      : group
          .replace(/\.k8s\.io$/, '')
          .split('.')
          .map(pascal)
          .join('')
  return `${name}${pascal(version)}${namespaced ? 'Namespaced' : ''}`
}

const gvk = ({ group, version, kind }: ResourceDefinition) => ({ group, version, kind })

function listOperation(definition: ResourceDefinition, suffix = ''): Operation {
  const part = suffix === '' ? idPart(definition) : idPart(definition).replace(/Namespaced$/, '')
  return {
    method: 'get',
    id: `list${part}${definition.kind}${suffix}`,
    description: `list or watch objects of kind ${definition.kind}`,
    action: 'list',
    parameters: LIST,
    answer: 'list',
    kind: gvk(definition),
  }
}

function collectionOperations(definition: ResourceDefinition): Operation[] {
  const { kind, verbs } = definition
  const part = idPart(definition)
  const operations: Operation[] = []
  if (verbs.includes('list')) operations.push(listOperation(definition))
  if (verbs.includes('create')) {
    operations.push({
      method: 'post',
      id: `create${part}${kind}`,
      description: `create a ${kind}`,
      action: 'post',
      parameters: WRITE,
      body: 'object',
      answer: 'object',
      kind: gvk(definition),
    })
  }
  if (verbs.includes('deletecollection')) {
    operations.push({
      method: 'delete',
      id: `delete${part.replace(/(Namespaced)?$/, scope => `Collection${scope}`)}${kind}`,
      description: `delete collection of ${kind}`,
      action: 'deletecollection',
      parameters: [...LIST, ...DELETE],
      body: 'delete',
      answer: 'status',
      kind: gvk(definition),
    })
  }
  return operations
}

function objectOperations(definition: ResourceDefinition): Operation[] {
  const { kind, verbs } = definition
  const common = { answer: 'object', kind: gvk(definition) } as const
  const id = (verb: string) => `${verb}${idPart(definition)}${kind}`
  const all: (Operation & { readonly verb: string })[] = [
    {
      ...common,
      verb: 'get',
      method: 'get',
      id: id('read'),
      description: `read the specified ${kind}`,
      action: 'get',
      parameters: [],
    },
    {
      ...common,
      verb: 'update',
      method: 'put',
      id: id('replace'),
      description: `replace the specified ${kind}`,
      action: 'put',
      parameters: WRITE,
      body: 'object',
    },
    {
      ...common,
      verb: 'patch',
      method: 'patch',
      id: id('patch'),
      description: `partially update the specified ${kind}`,
      action: 'patch',
      parameters: [...WRITE, FORCE],
      body: 'patch',
    },
    {
      ...common,
      verb: 'delete',
      method: 'delete',
      id: id('delete'),
      description: `delete a ${kind}`,
      action: 'delete',
      parameters: DELETE,
      body: 'delete',
      answer: 'status',
    },
  ]
  return all.filter(({ verb }) => verbs.includes(verb)).map(({ verb: _verb, ...operation }) => operation)
}

function subresourceOperations(
  definition: ResourceDefinition,
): { readonly path: string; readonly operations: Operation[] }[] {
  const { subresources, kind } = definition
  const readAndWrite = (
    name: string,
    answer: Operation['answer'],
    body: Operation['body'],
    of: Operation['kind'],
  ) => ({
    path: name,
    operations: objectOperations({ ...definition, verbs: ['get', 'update', 'patch'] }).map(operation => ({
      ...operation,
      id: `${operation.id}${pascal(name)}`,
      description: operation.description
        .replace(kind, `${name} of the specified ${kind}`)
        .replace('the specified status', 'status'),
      answer,
      kind: of,
      ...(operation.body === 'object' && body !== undefined ? { body } : {}),
    })),
  })
  const found: { readonly path: string; readonly operations: Operation[] }[] = []
  if (subresources.status) found.push(readAndWrite('status', 'object', 'object', gvk(definition)))
  if (subresources.scale) {
    const scale = { group: 'autoscaling', version: 'v1', kind: 'Scale' }
    found.push(readAndWrite('scale', { model: 'V1Scale' }, { model: 'V1Scale' }, scale))
  }
  for (const other of subresources.others ?? []) {
    const model = BODY_MODELS[other.kind]
    if (!other.verbs.includes('create') || model === undefined) continue
    found.push({
      path: other.name,
      operations: [
        {
          method: 'post',
          id: `create${idPart(definition)}${kind}${pascal(other.name)}`,
          description: `create ${other.name} of a ${kind}`,
          action: 'post',
          parameters: WRITE,
          body: { model },
          answer: { model },
          kind: {
            group: other.group ?? definition.group,
            version: other.version ?? definition.version,
            kind: other.kind,
          },
        },
      ],
    })
  }
  return found
}

const BODY_MODELS: Readonly<Record<string, string>> = {
  Binding: 'V1Binding',
  Eviction: 'V1Eviction',
  TokenRequest: 'AuthenticationV1TokenRequest',
}

/** The content types of a PATCH; strategic merge only where merge keys are known. */
export const patchContentTypes = ({ custom }: ResourceDefinition): readonly string[] => [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  ...(custom ? [] : ['application/strategic-merge-patch+json']),
]

export const PATCH_COMPONENT = 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch'
export const PATCH_SCHEMA: JsonObject = {
  description: 'A patch in the form its content type says.',
  type: 'object',
}
