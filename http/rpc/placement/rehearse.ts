import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { PlacementExplanation } from '../../../karmada/explain/placement.js'
import {
  occupied,
  type Rehearsal,
  type RehearsedOutcome,
  rehearse,
  type ThoughtTaint,
  withTaints,
} from '../../../karmada/explain/rehearse.js'
import type { Cluster, Taint } from '../../../karmada/objects/cluster.js'
import { type Binding, isPlaced, type PlacedBinding } from '../../../karmada/objects/resource-binding.js'
import { labelValue, qualifiedName } from '../../../manifests/name-format.js'
import { compareTexts } from '../../../ports/compare-texts.js'
import {
  RehearsedTemplate_Outcome as Outcome,
  type RehearsedTemplateSchema,
  type RehearseTaintsRequest,
  type RehearseTaintsResponseSchema,
} from '../../../proto/gen/kairship/placement_pb.js'
import { TaintEffect } from '../../../proto/gen/kairship/types_pb.js'
import { type FieldViolation, invalidFields } from '../../errors/failure.js'
import { CLUSTER_RESOURCE_BINDING, RESOURCE_BINDING } from '../kind/object-types.js'
import { clustersOf, requireClusters } from './gather.js'
import { placementMessage, referenceMessage } from './messages.js'
import { quotasIn } from './quotas.js'
import type { Reader } from './reader.js'

type Response = MessageInitShape<typeof RehearseTaintsResponseSchema>

const MOST_TAINTS = 1_000
/** Bindings that are decided in one answer: each costs one decision of the scheduler, over all clusters. */
const MOST_DECIDED = 2_000
/** Templates in one answer, and those of them with all clusters. */
const MOST_SHOWN = 200
const MOST_WHOLE = 20

const OUTCOMES: Readonly<Record<RehearsedOutcome, Outcome>> = {
  Moves: Outcome.MOVES,
  Shrinks: Outcome.SHRINKS,
  Nowhere: Outcome.NOWHERE,
}
const WORST_FIRST: readonly RehearsedOutcome[] = ['Nowhere', 'Shrinks', 'Moves']

/** What taints would do that clusters have in thought alone. @param now milliseconds */
export async function rehearseTaints(
  reader: Reader,
  request: Pick<RehearseTaintsRequest, 'taints' | 'namespace'>,
  now: number,
): Promise<Response> {
  const { namespace } = request
  const [joined, bindings] = await Promise.all([clustersOf(reader), bindingsIn(reader, namespace)])
  requireClusters(reader)
  const thought = thoughtOf(request, joined)
  const names = new Set(thought.map(({ cluster }) => cluster))
  let clusters = withTaints(joined, thought, now)
  const there = bindings.filter(({ spec, metadata }) =>
    metadata.deletionTimestamp ? false : spec.clusters?.some(({ name }) => names.has(name)),
  )
  const notes = new Set<string>()
  const leaving: { readonly binding: PlacedBinding; readonly rehearsal: Rehearsal }[] = []
  const inOrder = there.toSorted(byPriority)
  for (const binding of inOrder.slice(0, MOST_DECIDED)) {
    reader.call.signal.throwIfAborted()
    const { metadata, spec } = binding
    const quotas = await quotasIn(reader, metadata.namespace)
    for (const note of quotas.notes) notes.add(note)
    // A decision is made over all clusters: others are served between two of them.
    await nextTurn()
    const rehearsal = rehearse(binding, clusters, {
      ...{ names, now },
      ...(quotas.quotas && { quotas: quotas.quotas }),
      bindings: spec.workloadAffinityGroups
        ? bindings.filter(one => one.metadata.namespace === metadata.namespace)
        : [],
    })
    if (!rehearsal) continue
    for (const assumption of rehearsal.placement.assumptions) notes.add(assumption)
    leaving.push({ binding, rehearsal })
    clusters = occupied(clusters, rehearsal.gains, spec.replicaRequirements)
  }
  const counted = (outcome: RehearsedOutcome) =>
    leaving.filter(({ rehearsal }) => rehearsal.outcome === outcome).length
  const shown = leaving.toSorted(
    (a, b) => WORST_FIRST.indexOf(a.rehearsal.outcome) - WORST_FIRST.indexOf(b.rehearsal.outcome),
  )
  const left = inOrder.length - MOST_DECIDED
  return {
    templates: shown
      .slice(0, MOST_SHOWN)
      .map(({ binding, rehearsal }, at) => messageOf(binding, rehearsal, at < MOST_WHOLE)),
    total: leaving.length,
    moving: counted('Moves'),
    shrinking: counted('Shrinks'),
    nowhere: counted('Nowhere'),
    staying: inOrder.length - Math.max(0, left) - leaving.length,
    assumptions: [...ASSUMPTIONS, ...notes],
    unread: [
      ...reader.unread,
      ...(left > 0
        ? [`${left} templates in these clusters were not looked at: ${MOST_DECIDED} are in one answer`]
        : []),
    ],
  }
}

/** What no reader of the control plane can know, or the rehearsal leaves out. */
export const ASSUMPTIONS: readonly string[] = [
  'Karmada evicts on NoExecute taints: --enable-no-execute-taint-eviction and the feature gate Failover are on',
  'Templates leave their clusters one after the other, those of higher priority first, and the room of what moved is taken; nodes of clusters with resource models are counted as they are now',
  'What templates need (propagateDeps) goes with them and is not listed',
]

/** The bindings that a policy placed. @throws Failure PERMISSION_DENIED: without them nothing would seem to leave */
async function bindingsIn(reader: Reader, namespace: string): Promise<readonly PlacedBinding[]> {
  const [namespaced, clusterWide] = await Promise.all([
    reader.list<Binding>(RESOURCE_BINDING, namespace || undefined),
    namespace ? [] : reader.list<Binding>(CLUSTER_RESOURCE_BINDING),
  ])
  if (reader.isDenied(RESOURCE_BINDING, namespace || undefined)) throw reader.refusal()
  return [...namespaced, ...clusterWide].filter(isPlaced)
}

/** The taints of a request. @throws Failure INVALID_ARGUMENT that names what no cluster could have */
function thoughtOf(
  { taints }: Pick<RehearseTaintsRequest, 'taints'>,
  clusters: readonly Cluster[],
): readonly ThoughtTaint[] {
  if (taints.length === 0 || taints.length > MOST_TAINTS)
    throw invalidFields([
      { field: 'taints', description: `has ${taints.length} taints: it must have 1 to ${MOST_TAINTS}` },
    ])
  const joined = new Set(clusters.map(({ metadata }) => metadata.name))
  const read = taints.map(({ cluster, taint }, index) => {
    const { key = '', value = '', effect = TaintEffect.TAINT_EFFECT_UNSPECIFIED } = taint ?? {}
    const at = `taints[${index}]`
    const wrong: FieldViolation[] = []
    const refuse = (field: string, description: string) =>
      wrong.push({ field: `${at}.${field}`, description })
    if (!joined.has(cluster)) refuse('cluster', `no cluster ${JSON.stringify(cluster)} is joined`)
    for (const complaint of qualifiedName(key)) refuse('taint.key', complaint)
    for (const complaint of labelValue(value)) refuse('taint.value', complaint)
    if (effect !== TaintEffect.NoSchedule && effect !== TaintEffect.NoExecute)
      refuse('taint.effect', 'must be NoSchedule or NoExecute: Karmada accepts no other effect of a cluster')
    const name = TaintEffect[effect] as Taint['effect']
    return { wrong, thought: { cluster, taint: { key, ...(value && { value }), effect: name } } }
  })
  const wrong = read.flatMap(one => one.wrong)
  if (wrong.length > 0) throw invalidFields(wrong)
  return read.map(({ thought }) => thought)
}

/** As Karmada's queue: higher priority first; within one by namespace and name, so that two answers are the same. */
const byPriority = (a: PlacedBinding, b: PlacedBinding): number =>
  (b.spec.schedulePriority?.priority ?? 0) - (a.spec.schedulePriority?.priority ?? 0) ||
  compareTexts(nameOf(a), nameOf(b))

const nameOf = ({ metadata: { namespace = '', name } }: Binding): string => `${namespace}/${name}`

function messageOf(
  { spec: { resource } }: PlacedBinding,
  { outcome, leaving, placement, note }: Rehearsal,
  withAll: boolean,
): MessageInitShape<typeof RehearsedTemplateSchema> {
  const isWhole = withAll && outcome !== 'Moves'
  return {
    template: referenceMessage(resource),
    outcome: OUTCOMES[outcome],
    leaving: leaving.map(one => ({ ...one })),
    placement: placementMessage(isWhole ? placement : concerned(placement)),
    ...(note !== undefined && { note }),
  }
}

/** The clusters where a template runs or would run. What is assumed is said once, for all templates. */
const concerned = (placement: PlacementExplanation): PlacementExplanation => ({
  ...placement,
  clusters: placement.clusters.filter(({ before, after }) => before !== undefined || after !== undefined),
  assumptions: [],
})
