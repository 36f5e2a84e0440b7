import type { MessageInitShape } from '@bufbuild/protobuf'
import jsonPatch from 'fast-json-patch'
import type { Link, LinkedObject, LinkState, Step } from '../../../karmada/explain/link.js'
import type { PlacementExplanation } from '../../../karmada/explain/placement.js'
import type { ClaimOutcome, ManifestChange } from '../../../karmada/explain/preview.js'
import type { ScheduleFailure } from '../../../karmada/scheduling/schedule.js'
import { without } from '../../../karmada/without.js'
import {
  type ManifestChangeSchema,
  type ObjectReferenceSchema,
  type PlacementFailureSchema,
  type PlacementSchema,
  TemplatePreview_Claim,
  TraceLink_State,
  TraceLink_Step,
  type TraceLinkSchema,
} from '../../../proto/gen/kairship/placement_pb.js'
import { isSecret, LAST_APPLIED, withoutValues } from '../core/secret.js'

/** Answers of the Placement service in their messages; pure. */

export const linkMessage = (link: Link): MessageInitShape<typeof TraceLinkSchema> => {
  const { step, cluster, state, object, reason, message, fix, quoted } = link
  return {
    step: STEPS[step],
    state: STATES[state],
    reason,
    message,
    ...(cluster !== undefined && { cluster }),
    ...(object && { object: referenceMessage(object) }),
    ...(fix !== undefined && { fix }),
    ...(quoted !== undefined && { quoted }),
  }
}

const STEPS: Readonly<Record<Step, TraceLink_Step>> = {
  Template: TraceLink_Step.TEMPLATE,
  Policy: TraceLink_Step.POLICY,
  Binding: TraceLink_Step.BINDING,
  Scheduling: TraceLink_Step.SCHEDULING,
  Work: TraceLink_Step.WORK,
  Member: TraceLink_Step.MEMBER,
}

const STATES: Readonly<Record<LinkState, TraceLink_State>> = {
  Done: TraceLink_State.DONE,
  Waiting: TraceLink_State.WAITING,
  Broken: TraceLink_State.BROKEN,
  Unknown: TraceLink_State.UNKNOWN,
}

export const CLAIMS: Readonly<Record<ClaimOutcome, TemplatePreview_Claim>> = {
  Claims: TemplatePreview_Claim.CLAIMS,
  Keeps: TemplatePreview_Claim.KEEPS,
  Preempts: TemplatePreview_Claim.PREEMPTS,
  HeldByOther: TemplatePreview_Claim.HELD_BY_OTHER,
  Outranked: TemplatePreview_Claim.OUTRANKED,
}

export const referenceMessage = ({
  apiVersion,
  kind,
  namespace = '',
  name,
}: LinkedObject): MessageInitShape<typeof ObjectReferenceSchema> => ({ apiVersion, kind, namespace, name })

export function placementMessage(placement: PlacementExplanation): MessageInitShape<typeof PlacementSchema> {
  const { affinityName, failure, clusters, tried, assumptions } = placement
  return {
    ...(affinityName !== undefined && { affinityName }),
    ...(failure && { failure: failureMessage(failure) }),
    clusters: clusters.map(({ cluster, refusals, candidate, quotaLimit, selected, before, after }) => ({
      cluster,
      refusals: refusals.map(({ filter, reason }) => ({ filter, reason })),
      ...(candidate && { candidate: without(candidate, ['quotaLimit']) }),
      ...(quotaLimit !== undefined && { quotaLimit }),
      selected,
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    })),
    tried: tried.map(one => ({
      affinityName: one.affinityName ?? '',
      ...(one.failure && { failure: failureMessage(one.failure) }),
    })),
    assumptions: [...assumptions],
  }
}

const failureMessage = ({
  reason,
  message,
}: ScheduleFailure): MessageInitShape<typeof PlacementFailureSchema> => ({ reason, message })

/** A change as its readers see it, Secrets without values. Undefined for a manifest that stays as it is. */
export function changeMessage(
  change: ManifestChange,
): MessageInitShape<typeof ManifestChangeSchema> | undefined {
  const { cluster, before, after, problem } = change
  const patch = before && after ? jsonPatch.compare(before, after) : []
  if (before && after && patch.length === 0) return undefined
  const ofSecret = [before, after].some(one => one && isSecret(one))
  return {
    cluster,
    before: before ? JSON.stringify(ofSecret ? withoutValues(before) : before) : '',
    after: after ? JSON.stringify(ofSecret ? withoutValues(after) : after) : '',
    patch: patch.map(operation => ({
      op: operation.op,
      path: operation.path,
      value:
        'value' in operation ? JSON.stringify(ofSecret ? valueOfSecret(operation) : operation.value) : '',
    })),
    ...(problem !== undefined && { problem }),
  }
}

/** What an operation on a Secret sets: keys without their values, and no copy of the manifest. */
function valueOfSecret({ path, value }: { readonly path: string; readonly value: unknown }): unknown {
  const [, field, key, annotation] = path.split('/')
  if (field === 'data' || field === 'stringData')
    return key === undefined ? Object.fromEntries(Object.keys(value ?? {}).map(one => [one, ''])) : ''
  if (field !== 'metadata' || key !== 'annotations') return value
  if (annotation === undefined) return without(value as object, [LAST_APPLIED])
  return jsonPatch.unescapePathComponent(annotation) === LAST_APPLIED ? '' : value
}
