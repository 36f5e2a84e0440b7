import type { MessageInitShape } from '@bufbuild/protobuf'
import type { RbacSubject } from '../../../karmada/rbac/subject.js'
import type { EffectiveBinding, RoleGrant } from '../../../manifests/effective-binding.js'
import type { NamespacesInside } from '../../../manifests/instance-rbac.js'
import type { InstanceRole, Subject } from '../../../manifests/instance-role-binding.js'
import { type KubeList, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import {
  credentialNamespacesOf,
  MEMBER_CLUSTERS,
  type MemberCluster,
} from '../../../manifests/member-cluster.js'
import { NAMESPACES } from '../../../manifests/reserved-namespaces.js'
import type {
  PreviewRoleBindingRequest,
  PreviewRoleBindingResponseSchema,
  SubjectChangeSchema,
} from '../../../proto/gen/kairship/access_review_pb.js'
import { Code } from '../../../transcoding/code.js'
import type { Call } from '../../call/call.js'
import { type FieldViolation, invalidFields, notFound } from '../../errors/failure.js'
import { toFailure } from '../../errors/to-failure.js'
import type { Objects } from '../../objects/objects.js'
import type { OwnConnection } from '../../objects/requests/own-requests.js'
import { isPathSegment, noPathSegment } from '../../operation/path-segment.js'
import { someAtOnce } from '../concurrency/some-at-once.js'
import type { ExplainDependencies } from './explain.js'
import { subjectMessage } from './messages.js'
import { readRbac } from './rbac-reader.js'
import {
  countsOf,
  isSame,
  previewRoleBindings,
  type SubjectChange,
  summaryOf,
} from './role-binding-preview.js'
import { servedKinds } from './served-kinds.js'
import type { KindAccess } from './subject-change.js'

/** What previews are made of. */
export interface PreviewDependencies extends ExplainDependencies {
  readonly objects: Objects
}

const ROLES: readonly string[] = ['Admin', 'Editor', 'Viewer'] satisfies readonly InstanceRole[]
const KINDS: readonly string[] = ['User', 'Group', 'ServiceAccount'] satisfies readonly Subject['kind'][]
/** An InstanceRoleBinding may have more; each is compared over all kinds. */
const MOST_SUBJECTS = 50
const MOST_NAMESPACES = 256
const MOST_ROWS = 500
/** Lists whose objects are counted, each a request where no index has it. */
const MOST_COUNTED = 40
const AT_ONCE = 8

/**
 * What would change if an InstanceRoleBinding were stored as the request says, or removed.
 * @throws Failure INVALID_ARGUMENT for a grant that no binding could have, NOT_FOUND for a binding to be removed that is not there
 */
export async function previewRoleBinding(
  { ownRequests, roleBindings, objects }: PreviewDependencies,
  call: Call,
  { instance, name, grant }: PreviewRoleBindingRequest,
): Promise<MessageInitShape<typeof PreviewRoleBindingResponseSchema>> {
  const connection = await ownRequests.connect(call, instance)
  const before = roleBindings.of(instance)
  const existing = before.find(binding => isDirect(binding) && binding.metadata.name === name)
  if (!grant && !existing)
    throw notFound(`no InstanceRoleBinding ${JSON.stringify(name)} is in effect on ${instance}`)
  const proposed = grant && roleGrantOf(instance, name, grant)
  const others = before.filter(binding => binding !== existing)
  const after = proposed ? [...others, proposed] : others
  const subjects = distinct([...(existing?.spec.subjects ?? []), ...(proposed?.spec.subjects ?? [])])
  const unread: string[] = []
  const [rbac, kinds, namespaces] = await Promise.all([
    readRbac(connection, { prefix: '' }),
    servedKinds(connection, problem => unread.push(problem)),
    namespacesOf(connection),
  ])
  const inside = { rbac, kinds, namespaces }
  const preview = previewRoleBindings(
    instance,
    { before, after },
    { subjects: subjects.slice(0, MOST_SUBJECTS), proposed },
    inside,
  )
  const counts = await objectCounts(objects, call, instance, preview.subjects, unread)
  return {
    summary: summaryOf(preview),
    subjects: preview.subjects.map(change => changeMessage(change, counts)),
    withheldNamespaces: [...preview.withheld],
    unread: [...new Set(unread)].sort(),
    notes: notesOf(preview.subjects, subjects.length),
  }
}

const isDirect = ({ origin }: EffectiveBinding): boolean => origin.kind === 'InstanceRoleBinding'

function notesOf(changes: readonly SubjectChange[], subjects: number): string[] {
  const leftOut = Math.max(0, ...changes.map(change => change.leftOut))
  return [
    'what users have by their groups is not counted: who is in which group is not known here',
    'members decide by their own RBAC; a role opens their proxy and gives nothing in them',
    ...(leftOut > 0 ? [`${leftOut} namespaces with rights of their own are left out`] : []),
    ...(subjects > changes.length ? [`${subjects - changes.length} subjects are left out`] : []),
  ]
}

/** @throws Failure INVALID_ARGUMENT naming each field that the CRD would refuse */
function roleGrantOf(
  instance: string,
  name: string,
  { role, namespaces, subjects }: NonNullable<PreviewRoleBindingRequest['grant']>,
): RoleGrant {
  const violations: FieldViolation[] = []
  const wrong = (field: string, description: string) =>
    violations.push({ field: `grant.${field}`, description })
  if (!ROLES.includes(role))
    wrong('role', `is ${JSON.stringify(role)}: it must be one of ${ROLES.join(', ')}`)
  if (namespaces.length > MOST_NAMESPACES)
    wrong('namespaces', `has ${namespaces.length}: a binding has ${MOST_NAMESPACES} at most`)
  for (const namespace of namespaces)
    if (namespace === '' || !isPathSegment(namespace))
      wrong('namespaces', namespace === '' ? 'has an empty name' : noPathSegment(namespace))
  if (subjects.length === 0) wrong('subjects', 'is empty: a binding has a subject at least')
  for (const subject of subjects) {
    if (!KINDS.includes(subject.kind))
      wrong('subjects', `has the kind ${JSON.stringify(subject.kind)}: it must be one of ${KINDS.join(', ')}`)
    if (subject.name === '') wrong('subjects', 'has an empty name')
    if ((subject.kind === 'ServiceAccount') !== (subject.namespace !== ''))
      wrong('subjects', 'has a namespace where it is a ServiceAccount, and only there')
  }
  if (violations.length > 0) throw invalidFields(violations)
  return {
    // A colon is in no name of an object, so that it is no other binding's.
    metadata: { name: name || 'preview:new' },
    spec: {
      ...{ instance, role: role as InstanceRole },
      ...(namespaces.length > 0 && { namespaces }),
      subjects: subjects.map(({ kind, name: subject, namespace }) => ({
        kind: kind as Subject['kind'],
        name: subject,
        ...(namespace !== '' && { namespace }),
      })),
    },
  }
}

const distinct = (subjects: readonly RbacSubject[]): readonly RbacSubject[] =>
  subjects.filter((subject, index) => subjects.findIndex(one => isSame(one, subject)) === index)

/** What rights on Secrets depend on. @throws where it cannot be read: a preview would promise what is not given */
async function namespacesOf(connection: OwnConnection): Promise<NamespacesInside> {
  const [namespaces, clusters] = await Promise.all([
    connection.request<KubeList<KubeObject>>({ method: 'GET', path: resourcePath(NAMESPACES) }),
    connection.request<KubeList<MemberCluster>>({ method: 'GET', path: resourcePath(MEMBER_CLUSTERS) }),
  ])
  const holding = credentialNamespacesOf(clusters.items ?? [])
  return {
    present: (namespaces.items ?? [])
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name),
    holdsMemberCredentials: namespace => holding.has(namespace),
  }
}

/** How many objects there are of what becomes readable or ceases to be, by kind and namespace; as the caller may count them. */
async function objectCounts(
  objects: Objects,
  call: Call,
  instance: string,
  changes: readonly SubjectChange[],
  unread: string[],
): Promise<ReadonlyMap<string, number>> {
  const listed = ({ gained, lost, kind }: KindAccess) =>
    !kind.resource.includes('/') && (gained.includes('list') || lost.includes('list'))
  const rows = new Map(
    changes.flatMap(({ kinds }) => kinds.filter(listed).map(row => [rowKey(row), row] as const)),
  )
  const counted = [...rows].slice(0, MOST_COUNTED)
  if (rows.size > counted.length)
    unread.push(`objects of ${rows.size - counted.length} more kinds: not counted`)
  const found = await someAtOnce(counted, AT_ONCE, async ([key, { kind, namespace }]) => {
    try {
      const query = { page: 1, pageSize: 1, ...(namespace !== '' && { namespace }) }
      const { pagination } = await objects.list(call, { instance }, kind, query)
      return [[key, pagination.total] as const]
    } catch (error) {
      if (call.signal.aborted) throw call.signal.reason
      const { code, message } = toFailure(error)
      if (code === Code.INTERNAL) throw error
      unread.push(`objects of ${kind.resource}: ${message}`)
      return []
    }
  })
  return new Map(found.flat())
}

const rowKey = ({ kind: { group, resource }, namespace }: KindAccess): string =>
  `${group}/${resource} ${namespace}`

function changeMessage(
  { subject, kinds, kairship }: SubjectChange,
  counts: ReadonlyMap<string, number>,
): MessageInitShape<typeof SubjectChangeSchema> {
  return {
    subject: subjectMessage(subject),
    kinds: kinds.slice(0, MOST_ROWS).map(row => {
      const { kind, namespace, gained, lost, kept } = row
      const objects = counts.get(rowKey(row))
      return {
        ...{ group: kind.group, resource: kind.resource, kind: kind.kind, namespace },
        ...{ gained: [...gained], lost: [...lost], kept: [...kept] },
        ...(objects !== undefined && gained.length + lost.length > 0 && { objects: BigInt(objects) }),
      }
    }),
    kairship: kairship.map(({ resource, gained, lost }) => ({
      resource,
      gained: [...gained],
      lost: [...lost],
    })),
    ...countsOf(kinds),
  }
}
