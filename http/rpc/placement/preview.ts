import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { mutated } from '../../../karmada/admission/mutate.js'
import { linkTo } from '../../../karmada/explain/link.js'
import { manifestChanges, type Present, previewTemplate } from '../../../karmada/explain/preview.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import { policyId } from '../../../karmada/matching/claim.js'
import { bestPrecision, Precision } from '../../../karmada/matching/resource-selector.js'
import type { OverridePolicy, ResourceSelector } from '../../../karmada/objects/override-policy.js'
import type { PropagationPolicy } from '../../../karmada/objects/propagation-policy.js'
import type { Binding } from '../../../karmada/objects/resource-binding.js'
import type { Work } from '../../../karmada/objects/work.js'
import type { OverridePolicies } from '../../../karmada/overrides/apply-overrides.js'
import { stayingClusters } from '../../../karmada/propagation/work-of.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { compareTexts } from '../../../ports/compare-texts.js'
import type { PreviewPolicyResponseSchema } from '../../../proto/gen/kairship/placement_pb.js'
import { keyOf } from '../../objects/object-type.js'
import { keyOfObject } from '../distribution/binding-of.js'
import {
  CLUSTER_OVERRIDE_POLICY,
  CLUSTER_PROPAGATION_POLICY,
  CLUSTER_RESOURCE_BINDING,
  OVERRIDE_POLICY,
  PROPAGATION_POLICY,
  RESOURCE_BINDING,
} from '../kind/object-types.js'
import { bindingOf, clustersOf, overridesOf, requireClusters } from './gather.js'
import { interpreterOf } from './interpreter-rules.js'
import { ManifestRoom } from './manifest-room.js'
import { CLAIMS, placementMessage, referenceMessage } from './messages.js'
import { quotasIn } from './quotas.js'
import type { Reader } from './reader.js'

type Response = MessageInitShape<typeof PreviewPolicyResponseSchema>
type TemplateMessage = NonNullable<Response['templates']>[number]

/** Previews in one answer. Each costs a handful of reads, and a person reads no more at once. */
const MOST_TEMPLATES = 50

/** What a PropagationPolicy or ClusterPropagationPolicy would do. */
export async function previewPropagation(reader: Reader, given: PropagationPolicy): Promise<Response> {
  const namespace = given.metadata.namespace ?? ''
  const [policies, clusterPolicies, clusters, found] = await Promise.all([
    namespace
      ? reader.list<PropagationPolicy>(PROPAGATION_POLICY, namespace)
      : reader.list<PropagationPolicy>(PROPAGATION_POLICY),
    reader.list<PropagationPolicy>(CLUSTER_PROPAGATION_POLICY),
    clustersOf(reader),
    templatesOf(reader, given.spec.resourceSelectors ?? [], namespace),
  ])
  requireClusters(reader)
  const { interpretation, notes: notInterpreted } = await interpreterOf(reader)
  const stored = [...policies, ...clusterPolicies].find(
    one =>
      one.kind === given.kind &&
      one.metadata.name === given.metadata.name &&
      one.metadata.namespace === given.metadata.namespace,
  )
  const room = new ManifestRoom(reader.call)
  const policy = mutated(given, () => (stored && policyId(stored)) ?? PREVIEWED)
  const selected = found.filter(
    template => bestPrecision(template, policy.spec.resourceSelectors) > Precision.none,
  )
  const shown = await reader.each(
    selected.slice(0, MOST_TEMPLATES),
    async (template): Promise<TemplateMessage[]> => {
      const overrides = await readableOverrides(reader, template)
      const { binding, works } = await propagatedOf(reader, template, overrides !== undefined)
      const { quotas, notes } = await quotasIn(reader, template.metadata.namespace)
      const present: Present = {
        policies,
        clusterPolicies,
        clusters,
        bindings: await othersOf(reader, policy, template),
        bindingOf: () => binding,
        works,
        ...(quotas && { quotas }),
        interpretation,
      }
      // A policy may have thousands of affinities: others are served between two templates.
      await nextTurn()
      const preview = previewTemplate(policy, template, present)
      if (!preview) return []
      const { claim, other, placement, problem } = preview
      const note = interpretation.noteOf(template)
      const changes =
        overrides && preview.binding
          ? manifestChanges(preview.binding, template, present, room.within(overrides))
          : []
      const manifests = await room.messagesOf(changes)
      if (!manifests) return []
      return [
        {
          template: referenceMessage(preview.template),
          claim: CLAIMS[claim],
          ...(other && { other: referenceMessage(other) }),
          ...(placement && {
            placement: placementMessage({
              ...placement,
              assumptions: [...placement.assumptions, ...notes, ...(note === undefined ? [] : [note])],
            }),
          }),
          ...(problem !== undefined && { problem }),
          manifests,
        },
      ]
    },
  )
  const isPartial = selected.some(template => hasHiddenOverrides(reader, template))
  const unread = [
    ...reader.unread,
    ...notInterpreted,
    ...(isPartial ? [WITHOUT_MANIFESTS] : []),
    ...room.notes,
  ]
  return { templates: shown.flat(), total: selected.length, unread }
}

const WITHOUT_MANIFESTS =
  'manifests are left out of templates that override policies may change which you may not read'

/** A label that no stored policy has: Karmada's ids are UUIDs. */
const PREVIEWED = 'previewed'

/** What an OverridePolicy or ClusterOverridePolicy would do to what is propagated already. */
export async function previewOverride(reader: Reader, given: OverridePolicy & KubeObject): Promise<Response> {
  const namespace = given.metadata.namespace ?? ''
  const selectors = given.spec.resourceSelectors ?? []
  const [clusters, found] = await Promise.all([
    clustersOf(reader),
    selectors.length > 0 ? templatesOf(reader, selectors, namespace) : propagatedTemplates(reader, namespace),
  ])
  requireClusters(reader)
  const { interpretation, notes } = await interpreterOf(reader)
  const room = new ManifestRoom(reader.call)
  const selected = found.filter(
    template => selectors.length === 0 || bestPrecision(template, selectors) > Precision.none,
  )
  const shown = await reader.each(
    selected.slice(0, MOST_TEMPLATES),
    async (template): Promise<TemplateMessage[]> => {
      const overrides = await readableOverrides(reader, template)
      // Changes of manifests are the whole of this answer.
      if (!overrides) throw reader.refusal()
      const { binding, works } = await propagatedOf(reader, template, true)
      if (!binding) return []
      const after = room.within(withPolicy(overrides, given))
      const changes = manifestChanges(binding, template, { clusters, works, interpretation }, after)
      const manifests = await room.messagesOf(changes)
      return manifests ? [{ template: referenceMessage(linkTo(template)), manifests }] : []
    },
  )
  return {
    templates: shown.flat(),
    total: selected.length,
    unread: [...reader.unread, ...notes, ...room.notes],
  }
}

/** The override policies with this one stored. */
function withPolicy({ clusterWide, namespaced }: OverridePolicies, policy: OverridePolicy): OverridePolicies {
  const { namespace, name } = policy.metadata
  const others = (list: readonly OverridePolicy[]) => list.filter(one => one.metadata.name !== name)
  return namespace
    ? { clusterWide, namespaced: [...others(namespaced), policy] }
    : { clusterWide: [...others(clusterWide), policy], namespaced }
}

/** The objects of every type that selectors name, by namespace and name. */
async function templatesOf(
  reader: Reader,
  selectors: readonly ResourceSelector[],
  namespace: string,
): Promise<readonly Resource[]> {
  const kinds = new Map(selectors.map(one => [`${one.apiVersion} ${one.kind}`, one]))
  const lists = await reader.each([...kinds.values()], async ({ apiVersion, kind }) => {
    const type = await reader.typeOf(apiVersion, kind)
    return reader.list<Resource>(type, type.namespaced && namespace ? namespace : undefined)
  })
  return lists.flat().sort(byKey)
}

/** The templates that have bindings: an override policy without selectors is about all of them. */
async function propagatedTemplates(reader: Reader, namespace: string): Promise<readonly Resource[]> {
  const bindings = [
    ...(await reader.list<Binding>(RESOURCE_BINDING, namespace || undefined)),
    ...(namespace ? [] : await reader.list<Binding>(CLUSTER_RESOURCE_BINDING)),
  ]
  const found = await reader.each(bindings, async ({ spec: { resource } }) => {
    const type = await reader.typeOf(resource.apiVersion, resource.kind)
    const { namespace: at, name } = resource
    return reader.get<Resource>(type, { name, ...(at && { namespace: at }) })
  })
  return found.filter(template => template !== undefined).sort(byKey)
}

/** The bindings among which a policy's affinity groups are. @throws Failure PERMISSION_DENIED: without them no group has members */
async function othersOf(
  reader: Reader,
  { spec: { placement } }: PropagationPolicy,
  { metadata: { namespace } }: Resource,
): Promise<readonly Binding[]> {
  if (!placement?.workloadAffinity || namespace === undefined) return []
  const bindings = await reader.list<Binding>(RESOURCE_BINDING, namespace)
  if (reader.isDenied(RESOURCE_BINDING, namespace)) throw reader.refusal()
  return bindings
}

/**
 * The override policies that count for a template; undefined where the caller may not read all of them. The manifests in clusters
 * show what all of them set, and a change that is computed without one would take away what that one sets.
 */
async function readableOverrides(reader: Reader, template: Resource): Promise<OverridePolicies | undefined> {
  const overrides = await overridesOf(reader, template.metadata.namespace ?? '')
  return hasHiddenOverrides(reader, template) ? undefined : overrides
}

/** Whether a list of override policies that count for a template was denied. */
const hasHiddenOverrides = (reader: Reader, { metadata: { namespace } }: Resource): boolean =>
  reader.isDenied(CLUSTER_OVERRIDE_POLICY) ||
  (namespace !== undefined && reader.isDenied(OVERRIDE_POLICY, namespace))

/** A template's binding, and, where they are wanted, the Works that it has. */
async function propagatedOf(
  reader: Reader,
  template: Resource,
  withWorks: boolean,
): Promise<{ readonly binding?: Binding; readonly works: readonly Work[] }> {
  const { kind } = template
  const binding = await bindingOf(reader, kind, keyOf(template))
  if (!binding) return { works: [] }
  if (!withWorks) return { binding, works: [] }
  return { binding, works: await reader.works({ kind, ...keyOf(template) }, [...stayingClusters(binding)]) }
}

/** By namespace and name. */
const byKey = (a: KubeObject, b: KubeObject): number => compareTexts(keyOfObject(a), keyOfObject(b))
