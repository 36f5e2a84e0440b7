import type { Counted } from '../interpreter/counted.js'
import type { Resource } from '../interpreter/workload.js'
import { claimOf, policyFor } from '../matching/policies.js'
import { preempts } from '../matching/preemption.js'
import { mayBePropagated } from '../matching/propagated.js'
import { bestPrecision, Precision } from '../matching/resource-selector.js'
import { executionNamespace, workName } from '../names.js'
import { isWorkload } from '../objects/binding.js'
import type { Cluster } from '../objects/cluster.js'
import type { PropagationPolicy } from '../objects/propagation-policy.js'
import type { Binding } from '../objects/resource-binding.js'
import type { Work } from '../objects/work.js'
import type { OverridePolicies } from '../overrides/apply-overrides.js'
import { newBinding, renewedBinding } from '../propagation/binding-of.js'
import { targetsOf, workOf } from '../propagation/work-of.js'
import type { NamespaceQuotas } from '../quota/namespace-quotas.js'
import { schedulingTrigger } from '../scheduling/triggers.js'
import { Interpretation, InterpretationError } from './interpretation.js'
import { type LinkedObject, linkTo } from './link.js'
import { explainPlacement, type PlacementExplanation } from './placement.js'

/** What a control plane holds, as far as a policy that is not stored yet would meet it. */
export interface Present {
  readonly policies: readonly PropagationPolicy[]
  readonly clusterPolicies: readonly PropagationPolicy[]
  readonly clusters: readonly Cluster[]
  /** The bindings of the template's namespace, where the policy has affinity groups. */
  readonly bindings?: readonly Binding[]
  /** Those of the template's namespace. */
  readonly quotas?: NamespaceQuotas
  readonly bindingOf: (template: Resource) => Binding | undefined
  readonly works: readonly Work[]
  /** Without it, Karmada's own rules interpret templates. */
  readonly interpretation?: Interpretation
}

/** Whose a template would be once the policy is stored. */
export type ClaimOutcome =
  /** It has no policy, and this one claims it. */
  | 'Claims'
  /** It is this policy's already. */
  | 'Keeps'
  /** It is another policy's, and this one preempts that, where the control plane has policy preemption switched on. */
  | 'Preempts'
  /** It is another policy's, and stays. */
  | 'HeldByOther'
  /** It has no policy, and another one comes first. */
  | 'Outranked'

/** One cluster’s manifest before and after. */
export interface ManifestChange {
  readonly cluster: string
  /** Absent where the cluster has none now. */
  readonly before?: Resource
  /** Absent where it is taken away. */
  readonly after?: Resource
  /** Why there is none afterwards: an override that cannot be applied. */
  readonly problem?: string
}

/** What a policy would do with one template. */
export interface TemplatePreview {
  readonly template: LinkedObject
  readonly claim: ClaimOutcome
  /** The other policy, where the outcome is about one. */
  readonly other?: LinkedObject
  /** Absent where the template is not this policy's. */
  readonly placement?: PlacementExplanation
  /** The template's binding as it would be, of which `manifestChanges` tells what the clusters would run; absent where that is. */
  readonly binding?: Binding
  /** Why Karmada would not bind it: its interpreter has no answer. */
  readonly problem?: string
}

/**
 * What a policy, not stored yet, would do with a template: whether it claims it, which clusters get how many replicas, and
 * what each of them would run. Undefined where it does not select it.
 * @param policy as Karmada's webhook would store it, with its permanent id
 */
export function previewTemplate(
  policy: PropagationPolicy,
  template: Resource,
  present: Present,
): TemplatePreview | undefined {
  if (!mayBePropagated(template)) return undefined
  if (bestPrecision(template, policy.spec.resourceSelectors) === Precision.none) return undefined
  const { claim, other } = claimOutcome(policy, template, present)
  const preview = { template: linkTo(template), claim, ...(other && { other: linkTo(other) }) }
  if (claim === 'HeldByOther' || claim === 'Outranked') return preview
  let counted: Counted
  try {
    counted = interpreterOf(present).counted(template)
  } catch (error) {
    if (!(error instanceof InterpretationError)) throw error
    return { ...preview, problem: error.message }
  }
  const before = present.bindingOf(template)
  const binding = before
    ? renewedBinding(before, template, policy, undefined, counted)
    : newBinding(template, policy, undefined, counted)
  const placement = explainPlacement(
    binding.spec,
    binding.status ?? {},
    present.clusters,
    present.bindings,
    present.quotas,
  )
  // Karmada schedules again only where something that the result depends on has changed.
  const isScheduled = schedulingTrigger(binding, present.clusters) !== undefined
  const shown = isScheduled ? placement : unchanged(placement)
  const clusters = shown.clusters.flatMap(({ cluster, after }) =>
    after === undefined ? [] : [{ name: cluster, ...(after > 0 && { replicas: after }) }],
  )
  const scheduled = { ...binding, spec: { ...binding.spec, clusters } }
  return { ...preview, placement: shown, binding: scheduled }
}

const unchanged = (placement: PlacementExplanation): PlacementExplanation => ({
  ...placement,
  clusters: placement.clusters.map(({ after: _, ...one }) => ({
    ...one,
    ...(one.before !== undefined && { after: one.before }),
  })),
})

/**
 * What each cluster of a binding runs now, and what it would run with these overrides; first its targets, then those that lose it. Each is
 * computed when it is asked for: all together may be large.
 */
export function* manifestChanges(
  binding: Binding,
  template: Resource,
  present: Pick<Present, 'clusters' | 'works' | 'interpretation'>,
  overrides: OverridePolicies,
): Generator<ManifestChange> {
  const { clusters, works } = present
  const interpreter = interpreterOf(present)
  const { kind, metadata } = template
  const name = workName(kind, metadata.name, metadata.namespace)
  const presentIn = (cluster: string) =>
    works.find(one => one.metadata.namespace === executionNamespace(cluster) && one.metadata.name === name)
  const targets = targetsOf(binding)
  for (const target of targets) {
    const cluster = clusters.find(one => one.metadata.name === target.name)
    if (!cluster) continue
    const work = presentIn(target.name)
    const before = work?.spec.workload.manifests[0]
    const base = { cluster: target.name, ...(before && { before }) }
    let after: Resource | undefined
    try {
      const revised = isWorkload(binding.spec)
        ? interpreter.revised(template, target.replicas ?? 0)
        : template
      after = workOf(binding, template, target, cluster, overrides, work, revised).spec.workload.manifests[0]
    } catch (error) {
      yield { ...base, problem: error instanceof Error ? error.message : String(error) }
      continue
    }
    yield { ...base, ...(after && { after }) }
  }
  for (const { metadata, spec } of works) {
    const cluster = (metadata.namespace ?? '').slice(executionNamespace('').length)
    const [before] = spec.workload.manifests
    const isTarget = metadata.name !== name || targets.some(target => target.name === cluster)
    if (!isTarget && before) yield { cluster, before }
  }
}

const NATIVE = new Interpretation({ customizations: [], webhooks: [] }, () => 0)
const interpreterOf = ({ interpretation = NATIVE }: Pick<Present, 'interpretation'>) => interpretation

function claimOutcome(
  policy: PropagationPolicy,
  template: Resource,
  { policies, clusterPolicies }: Present,
): { readonly claim: ClaimOutcome; readonly other?: PropagationPolicy } {
  const held = claimOf(template)
  const isSame = (one: { readonly kind: string; readonly namespace?: string; readonly name: string }) =>
    one.kind === policy.kind &&
    one.name === policy.metadata.name &&
    one.namespace === policy.metadata.namespace
  if (held && isSame(held)) return { claim: 'Keeps' }
  const find = (kind: string, key: string) =>
    (kind === 'PropagationPolicy' ? policies : clusterPolicies).find(one => objectKeyOf(one) === key)
  const other = held && find(held.kind, held.namespace ? `${held.namespace}/${held.name}` : held.name)
  if (other) return { claim: preempts(policy, template, find) ? 'Preempts' : 'HeldByOther', other }
  const others = (all: readonly PropagationPolicy[]) => all.filter(one => !isSame(linkTo(one)))
  const isNamespaced = policy.kind === 'PropagationPolicy'
  const winner = policyFor(
    template,
    [...others(policies), ...(isNamespaced ? [policy] : [])],
    [...others(clusterPolicies), ...(isNamespaced ? [] : [policy])],
  )
  return winner === policy || !winner ? { claim: 'Claims' } : { claim: 'Outranked', other: winner }
}

const objectKeyOf = ({ metadata: { namespace, name } }: PropagationPolicy): string =>
  namespace ? `${namespace}/${name}` : name
