import type { MessageInitShape } from '@bufbuild/protobuf'
import type { RbacSubject } from '../../../karmada/rbac/subject.js'
import { type EffectiveBinding, inheritedBinding } from '../../../manifests/effective-binding.js'
import type { WorkspaceBinding } from '../../../manifests/workspace.js'
import type { WorkspaceRoleBinding } from '../../../manifests/workspace-role-binding.js'
import type {
  InstanceAccessChangeSchema,
  PreviewWorkspaceRoleBindingRequest,
  PreviewWorkspaceRoleBindingResponseSchema,
} from '../../../proto/gen/kairship/access_review_pb.js'
import { Code } from '../../../transcoding/code.js'
import type { Call } from '../../call/call.js'
import { notFound } from '../../errors/failure.js'
import { toFailure } from '../../errors/to-failure.js'
import { someAtOnce } from '../concurrency/some-at-once.js'
import { readInside } from './inside-reader.js'
import { objectCounts } from './object-counts.js'
import { changeMessage, distinct, MOST_SUBJECTS, notesOf, type PreviewDependencies } from './preview.js'
import { previewRoleBindings, type SubjectChange, summaryOf } from './role-binding-preview.js'
import { NEW_BINDING, proposedGrant } from './role-grant.js'

/** Each is a control plane whose RBAC is read. */
const MOST_INSTANCES = 20
/** Each holds up to 32 MiB of RBAC in memory meanwhile. */
const INSTANCES_AT_ONCE = 2
/** Rows of kinds, and lists whose objects are counted, over all instances. */
const MOST_ROWS = 10_000
const MOST_COUNTED = 200

/** A WorkspaceRoleBinding before and after, and all whom it means. */
interface Change {
  readonly name: string
  readonly proposed: WorkspaceRoleBinding | undefined
  readonly subjects: readonly RbacSubject[]
}

/**
 * What would change on the instances of a workspace if a WorkspaceRoleBinding were stored as the request says, or removed. An instance that
 * cannot be read is named with the reason, and the others are looked at all the same.
 * @throws Failure INVALID_ARGUMENT for a grant that no binding could have, NOT_FOUND for a binding to be removed that is not there
 */
export async function previewWorkspaceRoleBinding(
  dependencies: PreviewDependencies,
  call: Call,
  { workspace, name, grant }: PreviewWorkspaceRoleBindingRequest,
): Promise<MessageInitShape<typeof PreviewWorkspaceRoleBindingResponseSchema>> {
  const { exists, members, bound } = dependencies.roleBindings.workspaceOf(workspace)
  const existing = members.find(({ metadata }) => metadata.name === name)
  const proposed = grant && bindingOf(workspace, name, proposedGrant(grant))
  if (!proposed && !existing)
    throw notFound(
      `no WorkspaceRoleBinding ${JSON.stringify(name)} is in effect in the workspace ${workspace}`,
    )
  const subjects = distinct([...(existing?.spec.subjects ?? []), ...(proposed?.spec.subjects ?? [])])
  const change = { name, proposed, subjects: subjects.slice(0, MOST_SUBJECTS) }
  const all = [...bound].sort(([one], [other]) => (one < other ? -1 : 1))
  const looked = exists ? all.slice(0, MOST_INSTANCES) : []
  const most = {
    rows: Math.floor(MOST_ROWS / Math.max(1, looked.length * change.subjects.length)),
    counted: Math.floor(MOST_COUNTED / Math.max(1, looked.length)),
  }
  const found = await someAtOnce(looked, INSTANCES_AT_ONCE, ([instance, through]) =>
    onInstance(dependencies, call, { instance, through, change, most }),
  )
  const rowsLeftOut = found.reduce((sum, one) => sum + one.rowsLeftOut, 0)
  return {
    summary: summaryOfAll(
      found.map(one => one.changes),
      { workspace, exists, total: all.length },
    ),
    instances: found.map(({ message }) => message),
    totalInstances: all.length,
    notes: [
      ...notesOf(
        found.flatMap(one => one.changes),
        subjects,
      ),
      ...(all.length > found.length && exists ? [`${all.length - found.length} instances are left out`] : []),
      ...(rowsLeftOut > 0 ? [`${rowsLeftOut} rows of kinds that change are left out`] : []),
    ],
  }
}

interface OnInstance {
  readonly instance: string
  readonly through: readonly WorkspaceBinding[]
  readonly change: Change
  readonly most: { readonly rows: number; readonly counted: number }
}

interface FoundOnInstance {
  readonly message: MessageInitShape<typeof InstanceAccessChangeSchema>
  readonly changes: readonly SubjectChange[]
  readonly rowsLeftOut: number
}

async function onInstance(
  { ownRequests, roleBindings, objects }: PreviewDependencies,
  call: Call,
  { instance, through, change: { name, proposed, subjects }, most }: OnInstance,
): Promise<FoundOnInstance> {
  const before = roleBindings.of(instance)
  const others = before.filter(binding => !isOfMembers(binding, name))
  const inherited = proposed && inheritedBinding(instance, proposed, through)
  const after = inherited ? [...others, inherited] : others
  const where = { instance, namespaces: namespacesOf(through) }
  const unread: string[] = []
  try {
    const connection = await ownRequests.connect(call, instance)
    const inside = await readInside(connection, problem => unread.push(problem))
    const preview = previewRoleBindings(
      instance,
      { before, after },
      { subjects, proposed: inherited },
      inside,
    )
    const counts = await objectCounts(
      { objects, call, instance, most: most.counted },
      preview.subjects,
      unread,
    )
    // What stays is left out: it is the most of it, once for each instance.
    const changed = preview.subjects.map(one => ({ ...one, kinds: one.kinds.filter(isChanged) }))
    return {
      message: {
        ...where,
        summary: summaryOf(preview),
        subjects: changed.map(one => changeMessage(one, counts, most.rows)),
        withheldNamespaces: [...preview.withheld],
        unread: [...new Set(unread)].sort(),
      },
      changes: preview.subjects,
      rowsLeftOut: changed.reduce((sum, { kinds }) => sum + Math.max(0, kinds.length - most.rows), 0),
    }
  } catch (error) {
    if (call.signal.aborted) throw call.signal.reason
    const { code, message } = toFailure(error)
    if (code === Code.INTERNAL) throw error
    return { message: { ...where, unread: [message] }, changes: [], rowsLeftOut: 0 }
  }
}

const isOfMembers = ({ origin }: EffectiveBinding, name: string): boolean =>
  origin.kind === 'WorkspaceRoleBinding' && origin.object.metadata.name === name

/** Empty where the instance belongs to the workspace as a whole. */
const namespacesOf = (through: readonly WorkspaceBinding[]): string[] =>
  through.some(({ spec }) => spec.namespace === undefined)
    ? []
    : through.flatMap(({ spec }) => spec.namespace ?? []).sort()

const isChanged = ({ gained, lost }: SubjectChange['kinds'][number]): boolean =>
  gained.length + lost.length > 0

const bindingOf = (
  workspace: string,
  name: string,
  { role, subjects }: ReturnType<typeof proposedGrant>,
): WorkspaceRoleBinding => ({
  apiVersion: 'kairship.io/v1alpha1',
  kind: 'WorkspaceRoleBinding',
  metadata: { name: name || NEW_BINDING },
  spec: { workspace, role, subjects },
})

function summaryOfAll(
  found: readonly (readonly SubjectChange[])[],
  {
    workspace,
    exists,
    total,
  }: { readonly workspace: string; readonly exists: boolean; readonly total: number },
): string {
  if (!exists)
    return `Nothing changes: there is no Workspace ${workspace} on the host, and the binding gives nothing until there is.`
  if (total === 0)
    return `Nothing changes: no instance and no namespace belongs to the workspace ${workspace}.`
  const changed = found.filter(changes =>
    changes.some(({ kinds, kairship }) => kairship.length > 0 || kinds.some(isChanged)),
  ).length
  const unread = found.filter(changes => changes.length === 0).length
  const notRead = unread > 0 ? `; ${unread} could not be read` : ''
  return `Rights change on ${changed} of ${found.length} instances of the workspace ${workspace} that were looked at${notRead}.`
}
