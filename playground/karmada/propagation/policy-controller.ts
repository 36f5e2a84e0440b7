import { randomUUID } from 'node:crypto'
import { mutated, POLICY_FINALIZERS } from '../../../karmada/admission/mutate.js'
import type { Counted } from '../../../karmada/interpreter/counted.js'
import type { InterpreterChain } from '../../../karmada/interpreter/interpreter-chain.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import { claimed, isClaimedBy, policyId, unclaimed } from '../../../karmada/matching/claim.js'
import { isKarmadasChange, isLazy } from '../../../karmada/matching/lazy.js'
import { type Claim, claimOf, policyFor } from '../../../karmada/matching/policies.js'
import { preempts, roused } from '../../../karmada/matching/preemption.js'
import { mayBePropagated } from '../../../karmada/matching/propagated.js'
import { bestPrecision, Precision } from '../../../karmada/matching/resource-selector.js'
import { bindingName } from '../../../karmada/names.js'
import type { PropagationPolicy } from '../../../karmada/objects/propagation-policy.js'
import { type Binding, bindingScopeOf } from '../../../karmada/objects/resource-binding.js'
import type { GroupVersionResource, KubeObject } from '../../../manifests/kube.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { objectKey } from '../../../streams/object-store.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import type { Difference } from '../../client/source.js'
import { update, withoutFinalizer } from '../../client/write.js'
import { writeBinding } from './binding-writer.js'
import type { ControllerOptions } from './controller-options.js'
import { type Events, type Note, normal, warning } from './events.js'
import { type Observed, POLICIES } from './observed.js'
import type { Kind, Templates } from './templates.js'

/** Why a template is looked at: Karmada itself changed it or its policy, or its kind was not watched before. */
const KARMADAS = 'karmadas'
const INITIAL = 'initial'

/** How often a policy is looked at again that waits for a kind or for an override policy, milliseconds. */
const WAITING_MS = 5_000

/**
 * Karmada's resource detector: policies claim templates, and each claimed template gets a binding. A template without a
 * policy simply waits: every policy that comes looks at all templates of the kinds it selects.
 */
export class PolicyController {
  readonly #control: KubeApi
  readonly #observed: Observed
  readonly #templates: Templates
  readonly #events: Events
  readonly #interpreters: InterpreterChain
  readonly #policyQueue: Reconciler
  readonly #templateQueue: Reconciler
  /** Policies of before: what waits for one of them has waited long enough when the controllers start, as in Karmada. */
  readonly #seenAtStart = new Set<string>()

  constructor({ control, observed, templates, interpreters, events, log }: ControllerOptions) {
    this.#interpreters = interpreters
    this.#events = events
    this.#control = control
    this.#observed = observed
    this.#templates = templates
    this.#policyQueue = new Reconciler({ log, reconcile: key => this.#reconcilePolicy(key) })
    this.#templateQueue = new Reconciler({ log, reconcile: key => this.#reconcileTemplate(key) })
    observed.onPolicy(difference => this.#onPolicy(difference))
    void observed.synced().then(() => {
      for (const { metadata } of this.#policies) this.#seenAtStart.add(metadata.uid ?? '')
    })
    observed.onBinding(({ type, object: { spec } }) => {
      const template = keyOf(spec.resource, spec.resource)
      if (type === 'DELETED') this.#templateQueue.add(template)
      // Its policy may have changed before anybody knew that there is a binding to bring in line.
      if (type === 'ADDED') this.#templateQueue.add(`${template} ${KARMADAS}`)
    })
  }

  /** Takes note of a template. @param isInitial it was there before its kind was watched */
  onTemplate(difference: Difference<Resource>, isInitial: boolean): void {
    const { type, object } = difference
    if (type === 'DELETED') return
    const policy = this.#claimantOf(object)
    const isKarmadas =
      type === 'MODIFIED' && policy && isLazy(policy) && isKarmadasChange(difference.previous, object)
    if (isInitial) this.#templateQueue.add(`${keyOf(object, object.metadata)} ${INITIAL}`)
    else this.#addTemplate(object, Boolean(isKarmadas))
  }

  #addTemplate(template: Resource, isKarmadas: boolean): void {
    const key = keyOf(template, template.metadata)
    this.#templateQueue.add(isKarmadas ? `${key} ${KARMADAS}` : key)
  }

  #onPolicy(difference: Difference<PropagationPolicy>): void {
    const { type, object } = difference
    const policies =
      type === 'MODIFIED' ? [object, ...roused(difference.previous, object, this.#policies)] : [object]
    for (const one of policies) this.#policyQueue.add(`${one.kind} ${objectKey(one)}`)
  }

  get #policies(): readonly PropagationPolicy[] {
    return [...this.#observed.policies.values(), ...this.#observed.clusterPolicies.values()]
  }

  async close(): Promise<void> {
    await Promise.all([this.#policyQueue.close(), this.#templateQueue.close()])
  }

  async #reconcilePolicy(key: string): Promise<ReconcileResult> {
    await this.#observed.synced()
    const [kind = '', place = ''] = key.split(' ')
    const policy = this.#policy(kind, place)
    if (!policy) return undefined
    if (policyId(policy) === undefined) {
      // From before the control plane gave ids; the change that this makes comes back.
      await update<PropagationPolicy>(this.#control, typeOf(policy), policy.metadata, one =>
        mutated(one, randomUUID),
      )
      return undefined
    }
    const isGoing = policy.metadata.deletionTimestamp !== undefined
    const isComplete = await this.#watchKinds(policy)
    const templates = this.#templates.open.flatMap(({ source }) => source.values())
    if (!isGoing) {
      await this.#renewBindings(policy)
      for (const template of templates) if (isSelected(template, policy)) await this.#offer(template, policy)
      return isComplete ? undefined : { again: WAITING_MS }
    }
    for (const template of templates)
      if (isClaimedBy(template, policy)) {
        // The template comes last: while it is claimed, a restart finds it.
        await this.#unclaimBinding(template, claimBy(policy))
        await this.#unclaimTemplate(template, claimBy(policy))
      }
    const finalizer = POLICY_FINALIZERS[policy.kind as keyof typeof POLICY_FINALIZERS]
    await update(this.#control, typeOf(policy), policy.metadata, one => withoutFinalizer(one, finalizer))
    return undefined
  }

  /**
   * Brings the bindings that a policy made in line with it, and lets go of those whose templates it selects no more. A lazy policy has no binding of
   * a template that has not changed since: what it claimed so stays its own, also when it selects it no more.
   */
  async #renewBindings(policy: PropagationPolicy): Promise<void> {
    for (const binding of this.#observed.bindings) {
      if (!isClaimedBy(binding, policy)) continue
      const { resource } = binding.spec
      const found = await this.#templates.of(resource)
      const template = found?.source.get(placeText(resource))
      if (!template) continue
      if (isSelected(template, policy)) this.#addTemplate(template, isLazy(policy))
      else {
        // The binding comes last: while it is claimed, a restart finds it.
        await this.#unclaimTemplate(template, claimBy(policy))
        await this.#unclaimBinding(template, claimBy(policy))
      }
    }
  }

  /** Has the policy take a template that nobody claims, or over from another policy where it may. */
  async #offer(template: Resource, policy: PropagationPolicy): Promise<void> {
    const from = claimOf(template)
    const mayTake = (one: Resource) => preempts(policy, one, (kind, key) => this.#policy(kind, key))
    if (!mayTake(template)) {
      if (!from) this.#addTemplate(template, isLazy(policy))
      return
    }
    const type = this.#typeOfTemplate(template)
    if (!type) return
    const taken = await update<Resource>(this.#control, type, placeOf(template), one =>
      mayTake(one) ? claimed(one, policy) : one,
    )
    if (!taken || !isClaimedBy(taken, policy)) return
    const before = from && { kind: from.kind, metadata: from }
    const message = `${capital(policyText(policy))} preempted ${before ? policyText(before) : ''} successfully`
    this.#tell(template, normal('PreemptPolicySucceed', message))
  }

  #typeOfTemplate({ apiVersion, kind }: Resource): GroupVersionResource | undefined {
    return this.#templates.open.find(one => one.apiVersion === apiVersion && one.kind === kind)?.type
  }

  /** Watches the kinds that the policy selects, and those it may have selected before. @returns whether all are served */
  async #watchKinds({ spec }: PropagationPolicy): Promise<boolean> {
    const selected = await Promise.all(spec.resourceSelectors.map(one => this.#templates.of(one)))
    await Promise.all(this.#observed.bindings.map(binding => this.#templates.of(binding.spec.resource)))
    return selected.every(found => found !== undefined)
  }

  /** Has the binding of a template, which stays with its Works, no more claimed by this policy; a claim of another is left. */
  async #unclaimBinding(template: Resource, { kind, id }: Pick<Claim, 'kind' | 'id'>): Promise<void> {
    const scope = bindingScopeOf(template)
    const { namespace } = template.metadata
    const name = bindingName(template.kind, template.metadata.name)
    await update<Binding>(this.#control, scope.type, { name, ...(namespace && { namespace }) }, binding =>
      unclaimed(binding, kind, id),
    )
  }

  async #unclaimTemplate(template: Resource, { kind, id }: Pick<Claim, 'kind' | 'id'>): Promise<void> {
    const type = this.#typeOfTemplate(template)
    if (type)
      await update<Resource>(this.#control, type, placeOf(template), current => unclaimed(current, kind, id))
  }

  async #reconcileTemplate(key: string): Promise<ReconcileResult> {
    await this.#observed.synced()
    const [apiVersion = '', kind = '', place = '', cause] = key.split(' ')
    const found = await this.#templates.of({ apiVersion, kind })
    const template = found?.source.get(place)
    if (!found || !template || template.metadata.deletionTimestamp || !mayBePropagated(template))
      return undefined
    const claim = claimOf(template)
    if (claim && !this.#claimantOf(template)) {
      // Its policy is gone and left the claim behind; without it the template comes back.
      await this.#unclaimBinding(template, claim)
      await this.#unclaimTemplate(template, claim)
      return undefined
    }
    const policy = this.#policyOf(template)
    if (!policy || policy.metadata.deletionTimestamp || policyId(policy) === undefined) return undefined
    if (!this.#hasOverrides(policy)) return { again: WAITING_MS }
    const owned = await update<Resource>(this.#control, found.type, placeOf(template), one =>
      claimOf(one)?.id === claim?.id ? claimed(one, policy) : one,
    )
    // Another policy was faster: the template comes back with its claim.
    if (!owned || !isClaimedBy(owned, policy)) return undefined
    const waits =
      isLazy(policy) &&
      (cause === KARMADAS || (cause === INITIAL && !this.#seenAtStart.has(policy.metadata.uid ?? '')))
    if (!waits) await this.#apply(owned, policy)
    return undefined
  }

  /** The policy that claimed the template, while it selects it; without a claim, the one that should. */
  #policyOf(template: Resource): PropagationPolicy | undefined {
    const claimant = this.#claimantOf(template)
    if (!claimant)
      return policyFor(template, this.#observed.policies.values(), this.#observed.clusterPolicies.values())
    return isSelected(template, claimant) ? claimant : undefined
  }

  /** The policy of the name that a template's claim gives; Karmada does not look at the id. */
  #claimantOf(template: Resource): PropagationPolicy | undefined {
    const claim = claimOf(template)
    return (
      claim && this.#policy(claim.kind, claim.namespace ? `${claim.namespace}/${claim.name}` : claim.name)
    )
  }

  #policy(kind: string, key: string): PropagationPolicy | undefined {
    return kind === 'PropagationPolicy'
      ? this.#observed.policies.get(key)
      : this.#observed.clusterPolicies.get(key)
  }

  /** Whether the override policies are there without which the policy does not want to begin. */
  #hasOverrides({ metadata: { namespace }, spec: { dependentOverrides = [] } }: PropagationPolicy): boolean {
    return dependentOverrides.every(name =>
      namespace
        ? this.#observed.overrides.get(`${namespace}/${name}`)
        : this.#observed.clusterOverrides.get(name),
    )
  }

  async #apply(template: Resource, policy: PropagationPolicy): Promise<void> {
    const text = policyText(policy, 'policy')
    try {
      const counted = await this.#count(template)
      if (!(await writeBinding(this.#control, this.#observed, template, policy, counted))) return
      if (counted.components)
        this.#tell(
          template,
          normal('GetComponentsSucceed', 'Get components of resource template successfully.'),
        )
      else if (counted.replicas)
        this.#tell(template, normal('GetReplicasSucceed', 'Get replicas of resource template successfully.'))
      this.#tell(template, normal('ApplyPolicySucceed', `Apply ${text} succeed`))
    } catch (error) {
      const note = warning('ApplyPolicyFailed', error)
      this.#tell(template, { ...note, message: `Apply ${text} failed: ${note.message}` })
      throw error
    }
  }

  /** The components of a template count before its replicas. */
  async #count(template: Resource): Promise<Counted> {
    const ask = async <T>(reason: string, asked: Promise<T>): Promise<T> => {
      try {
        return await asked
      } catch (error) {
        this.#tell(template, warning(reason, error))
        throw error
      }
    }
    const components = await ask('GetComponentsFailed', this.#interpreters.components(template))
    if (components) return { components }
    return { replicas: await ask('GetReplicasFailed', this.#interpreters.replicas(template)) }
  }

  #tell(template: Resource, note: Note): void {
    this.#events.tell(template, 'resource-detector', note)
  }
}

const keyOf = (
  { apiVersion, kind }: Kind,
  { namespace, name }: { namespace?: string; name: string },
): string => `${apiVersion} ${kind} ${placeText({ namespace, name })}`

const placeText = ({ namespace, name }: { namespace?: string | undefined; name: string }): string =>
  namespace ? `${namespace}/${name}` : name

const isSelected = (template: Resource, { spec }: PropagationPolicy): boolean =>
  bestPrecision(template, spec.resourceSelectors) > Precision.none

const claimBy = (policy: PropagationPolicy): Pick<Claim, 'kind' | 'id'> => ({
  kind: policy.kind as Claim['kind'],
  id: policyId(policy) ?? '',
})

/** As Karmada's events name a policy. */
function policyText(
  {
    kind,
    metadata: { namespace, name },
  }: { readonly kind: string; readonly metadata: { readonly namespace?: string; readonly name: string } },
  word = 'propagation policy',
): string {
  return kind === 'PropagationPolicy' ? `${word}(${namespace}/${name})` : `cluster ${word}(${name})`
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const typeOf = ({ kind }: KubeObject) => POLICIES[kind as keyof typeof POLICIES]

const placeOf = ({ metadata: { namespace, name } }: KubeObject) => ({ name, ...(namespace && { namespace }) })
