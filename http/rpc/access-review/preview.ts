import type { MessageInitShape } from '@bufbuild/protobuf'
import type { RbacSubject } from '../../../karmada/rbac/subject.js'
import type { EffectiveBinding, RoleGrant } from '../../../manifests/effective-binding.js'
import { warningsOf } from '../../../manifests/wide-subjects.js'
import type {
  PreviewRoleBindingRequest,
  PreviewRoleBindingResponseSchema,
  SubjectChangeSchema,
} from '../../../proto/gen/kairship/access_review_pb.js'
import type { Call } from '../../call/call.js'
import { notFound } from '../../errors/failure.js'
import type { Objects } from '../../objects/objects.js'
import type { ExplainDependencies } from './explain.js'
import { readInside } from './inside-reader.js'
import { subjectMessage } from './messages.js'
import { objectCounts, rowKey } from './object-counts.js'
import {
  countsOf,
  type Inside,
  isSame,
  previewRoleBindings,
  type SubjectChange,
  summaryOf,
} from './role-binding-preview.js'
import { NEW_BINDING, proposedGrant } from './role-grant.js'

/** What previews are made of. */
export interface PreviewDependencies extends ExplainDependencies {
  readonly objects: Objects
}

/** A binding may have more; each is compared over all kinds. */
export const MOST_SUBJECTS = 50
const MOST_ROWS = 500
/** Lists whose objects are counted. */
const MOST_COUNTED = 40
/** Namespaces that a note names. */
const MOST_NAMED = 5

/**
 * What would change if an InstanceRoleBinding were stored as the request says, or removed.
 * @throws Failure INVALID_ARGUMENT for a grant that no binding could have, NOT_FOUND for a binding to be removed that is not there
 */
export async function previewRoleBinding(
  dependencies: PreviewDependencies,
  call: Call,
  { instance, name, grant }: PreviewRoleBindingRequest,
): Promise<MessageInitShape<typeof PreviewRoleBindingResponseSchema>> {
  const before = dependencies.roleBindings.of(instance)
  const existing = before.find(binding => isDirect(binding) && binding.metadata.name === name)
  const proposed: RoleGrant | undefined = grant && {
    metadata: { name: name || NEW_BINDING },
    spec: { instance, ...proposedGrant(grant) },
  }
  const connection = await dependencies.ownRequests.connect(call, instance)
  if (!proposed && !existing)
    throw notFound(`no InstanceRoleBinding ${JSON.stringify(name)} is in effect on ${instance}`)
  const others = before.filter(binding => binding !== existing)
  const after = proposed ? [...others, proposed] : others
  const subjects = distinct([...(existing?.spec.subjects ?? []), ...(proposed?.spec.subjects ?? [])])
  const unread: string[] = []
  const inside = await readInside(connection, problem => unread.push(problem))
  const preview = previewRoleBindings(
    instance,
    { before, after },
    { subjects: subjects.slice(0, MOST_SUBJECTS), proposed },
    inside,
  )
  const counting = { objects: dependencies.objects, call, instance, most: MOST_COUNTED }
  const counts = await objectCounts(counting, preview.subjects, unread)
  return {
    summary: summaryOf(preview),
    subjects: preview.subjects.map(change => changeMessage(change, counts, MOST_ROWS)),
    withheldNamespaces: [...preview.withheld],
    unread: [...new Set(unread)].sort(),
    notes: [...absentNotes(instance, proposed, inside), ...notesOf(preview.subjects, subjects)],
  }
}

/** A binding may name namespaces that are to come. */
function absentNotes(
  instance: string,
  proposed: RoleGrant | undefined,
  { namespaces }: Inside,
): readonly string[] {
  const absent = (proposed?.spec.namespaces ?? []).filter(name => !namespaces.present.includes(name))
  if (absent.length === 0) return []
  const named = absent.slice(0, MOST_NAMED).join(', ')
  const others = absent.length > MOST_NAMED ? ` and ${absent.length - MOST_NAMED} more` : ''
  return [`${instance} has no namespace ${named}${others} yet: the role begins there when it is created`]
}

const isDirect = ({ origin }: EffectiveBinding): boolean => origin.kind === 'InstanceRoleBinding'

/** What a preview assumes or leaves out, and whom the binding means beyond those that its author may. @param subjects all that it has, before and after */
export function notesOf(changes: readonly SubjectChange[], subjects: readonly RbacSubject[]): string[] {
  const leftOut = Math.max(0, ...changes.map(change => change.leftOut))
  return [
    ...warningsOf(subjects),
    'what users have by their groups is not counted: who is in which group is not known here',
    'members decide by their own RBAC; a role opens their proxy and gives nothing in them',
    ...(leftOut > 0 ? [`${leftOut} namespaces with rights of their own are left out`] : []),
    ...(subjects.length > MOST_SUBJECTS ? [`${subjects.length - MOST_SUBJECTS} subjects are left out`] : []),
  ]
}

/** Each subject once, in its first place. */
export const distinct = (subjects: readonly RbacSubject[]): readonly RbacSubject[] =>
  subjects.filter((subject, index) => subjects.findIndex(one => isSame(one, subject)) === index)

/** @param most rows of kinds */
export function changeMessage(
  { subject, kinds, kairship }: Pick<SubjectChange, 'subject' | 'kinds' | 'kairship'>,
  counts: ReadonlyMap<string, number>,
  most: number,
): MessageInitShape<typeof SubjectChangeSchema> {
  return {
    subject: subjectMessage(subject),
    kinds: kinds.slice(0, most).map(row => {
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
