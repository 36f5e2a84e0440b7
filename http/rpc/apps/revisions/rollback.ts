import { pointerToken } from '../../../../karmada/overrides/pointer.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import type { Call } from '../../../call/call.js'
import { aborted, failedPrecondition, notFound } from '../../../errors/failure.js'
import type { Objects } from '../../../objects/objects.js'
import type { Kind } from '../../kind/kind-handlers.js'
import { type KeyFields, objectKeyOf, placeOf } from '../../kind/request-fields.js'
import { CHANGE_CAUSE, changeCauseOf, type Revision, revisionId, type Templated } from './revision.js'
import { type Revisions, revisionsOf } from './revisions-of.js'

interface Request extends KeyFields {
  readonly revision: string
  readonly resourceVersion: string
  readonly dryRun: boolean
}

/**
 * Gives a workload of the control plane the pod template of a revision, and returns its message. Where it has that already, nothing is
 * written.
 * @throws Failure NOT_FOUND for no such revision; FAILED_PRECONDITION, reason `Paused` or `Overridden`; ABORTED for another
 * version than the wanted one
 */
export async function rollback<T extends KubeObject, M, E>(
  objects: Objects,
  kind: Kind<T, M, E>,
  request: Request,
  call: Call,
): Promise<M> {
  const place = placeOf(request)
  const revisions = await revisionsOf(objects, kind.type, request, call)
  const { workload } = revisions
  const subject = `${kind.type.kind} ${request.namespace}/${request.name} of ${request.instance}`
  const { resourceVersion } = workload.metadata
  if (request.resourceVersion && request.resourceVersion !== resourceVersion)
    throw aborted(
      `${subject} is at version ${resourceVersion}, not ${request.resourceVersion}: look at it again`,
      {
        reason: 'Conflict',
      },
    )
  const revision = wantedOf(revisions, request.revision, subject)
  const stored: KubeObject = isPresent(workload, revision)
    ? workload
    : await objects.patch(call, place, kind.type, objectKeyOf(request), {
        type: 'application/json-patch+json',
        body: rolledBack(revisions, revision, request, subject),
        dryRun: request.dryRun,
      })
  const extraOf = await kind.extras?.(objects, call, place, [stored as T])
  return kind.message(stored as T, place, extraOf?.(stored as T) as E)
}

function wantedOf({ all, unread }: Revisions, wanted: string, subject: string): Revision {
  const found = all.find(({ id }) => id === wanted)
  if (found) return found
  const missing = unread.map(({ cluster }) => cluster).join(', ')
  throw notFound(
    `no cluster remembers revision ${JSON.stringify(wanted)} of ${subject}: take the id of one from its list of revisions${missing && `; these clusters could not be read: ${missing}`}`,
    { reason: 'NoRevision' },
  )
}

const isPresent = ({ spec }: Templated, { id }: Revision): boolean => revisionId(spec?.template ?? {}) === id

/** The JSON Patch that brings the template back. As of kubectl's, a change of anything else in between is kept. */
function rolledBack(
  { workload, refusalOf }: Revisions,
  revision: Revision,
  { resourceVersion }: Request,
  subject: string,
): readonly object[] {
  if (workload.spec?.paused)
    throw failedPrecondition(`${subject} is paused, so nothing would be rolled out: resume it first`, {
      reason: 'Paused',
    })
  const refusal = refusalOf(revision)
  if (refusal)
    throw failedPrecondition(`${subject} is not rolled back to revision ${revision.id}: ${refusal}`, {
      reason: 'Overridden',
    })
  return [
    ...(resourceVersion
      ? [{ op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion }]
      : []),
    { op: 'replace', path: '/spec/template', value: revision.template },
    ...changeCause(workload, changeCauseOf(revision)),
  ]
}

/** What the present annotation says is of the template that goes. */
function changeCause({ metadata: { annotations } }: KubeObject, wanted: string): readonly object[] {
  const path = `/metadata/annotations/${pointerToken(CHANGE_CAUSE)}`
  if (!annotations)
    return wanted ? [{ op: 'add', path: '/metadata/annotations', value: { [CHANGE_CAUSE]: wanted } }] : []
  if (wanted) return [{ op: 'add', path, value: wanted }]
  return CHANGE_CAUSE in annotations ? [{ op: 'remove', path }] : []
}
