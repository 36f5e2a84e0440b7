import type { Dependency } from '../../../karmada/interpreter/dependencies.js'
import type { InterpreterChain } from '../../../karmada/interpreter/interpreter-chain.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import { BINDINGS, type Binding, type BindingSnapshot } from '../../../karmada/objects/resource-binding.js'
import {
  attached,
  attachedBinding,
  DEPENDENCIES_FINALIZER,
  detached,
  disagreements,
  isAttachedTo,
  isNamedBy,
  isNeededBy,
  withDependencies,
} from '../../../karmada/propagation/attached-binding.js'
import { sameJson } from '../../../karmada/same-json.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { objectKey } from '../../../streams/object-store.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import type { Difference } from '../../client/source.js'
import { ensure, update, withoutFinalizer } from '../../client/write.js'
import type { ControllerOptions } from './controller-options.js'
import { type Events, normal, warning } from './events.js'
import type { Observed } from './observed.js'
import type { Templates } from './templates.js'

const { type } = BINDINGS.namespaced
const COMPONENT = 'dependencies-distributor'

/** As Go prints it. */
const dependencyText = ({ apiVersion, kind, namespace = '', name = '' }: Dependency): string =>
  `{APIVersion:${apiVersion} Kind:${kind} Namespace:${namespace} Name:${name} LabelSelector:<nil>}`

/**
 * Karmada's dependencies distributor: what a workload needs (ConfigMaps, Secrets, an account, claims) goes where the workload
 * goes, by bindings that are attached to the workload's.
 */
export class DependenciesController {
  readonly #control: KubeApi
  readonly #observed: Observed
  readonly #templates: Templates
  readonly #events: Events
  readonly #interpreters: InterpreterChain
  readonly #queue: Reconciler

  constructor({ control, observed, templates, interpreters, events, log }: ControllerOptions) {
    this.#interpreters = interpreters
    this.#events = events
    this.#control = control
    this.#observed = observed
    this.#templates = templates
    this.#queue = new Reconciler({ log, reconcile: key => this.#reconcile(key) })
    observed.onBinding(difference => {
      const { object } = difference
      if (object.metadata.namespace && isOfInterest(difference)) this.#queue.add(objectKey(object))
    })
  }

  /** Takes note of an object that a workload may need. */
  onTemplate(difference: Difference<Resource>): void {
    const versions =
      difference.type === 'MODIFIED' ? [difference.object, difference.previous] : [difference.object]
    for (const binding of this.#observed.bindings) {
      if (binding.metadata.namespace !== difference.object.metadata.namespace) continue
      if (versions.some(one => isNeededBy(one, binding))) this.#queue.add(objectKey(binding))
    }
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  readonly #find = ({ namespace, name }: BindingSnapshot): Binding | undefined =>
    this.#observed.binding(`${namespace}/${name}`)

  async #reconcile(key: string): Promise<ReconcileResult> {
    await this.#observed.synced()
    const binding = this.#observed.binding(key)
    if (!binding) return undefined
    if (!binding.spec.propagateDeps || binding.metadata.deletionTimestamp) {
      await this.#detach(this.#attachedTo(binding), binding)
      await update<Binding>(this.#control, type, binding.metadata, one =>
        withoutFinalizer(one, DEPENDENCIES_FINALIZER),
      )
      return undefined
    }
    const found = await this.#templates.of(binding.spec.resource)
    const { namespace, name } = binding.spec.resource
    const template = found?.source.get(`${namespace}/${name}`)
    if (!template) return undefined
    const needed = await this.#needs(template)
    if (!needed) return undefined
    const list = needed.map(dependencyText).join(' ')
    const noted = `Get dependencies([${list}]) succeed.`
    this.#events.tell(template, COMPONENT, normal('GetDependenciesSucceed', noted))
    try {
      await this.#distribute(binding, needed)
    } catch (error) {
      this.#events.tell(binding, COMPONENT, warning('SyncScheduleResultToDependenciesFailed', error))
      throw error
    }
    const message = 'Sync schedule results to dependencies succeed.'
    this.#events.tell(binding, COMPONENT, normal('SyncScheduleResultToDependenciesSucceed', message))
    return undefined
  }

  async #needs(template: Resource): Promise<readonly Dependency[] | undefined> {
    try {
      return await this.#interpreters.dependencies(template)
    } catch (error) {
      this.#events.tell(template, COMPONENT, warning('GetDependenciesFailed', error))
      throw error
    }
  }

  async #distribute(binding: Binding, needed: readonly Dependency[]): Promise<void> {
    await update<Binding>(this.#control, type, binding.metadata, one => withDependencies(one, needed))
    const sources = await Promise.all(needed.map(one => this.#templates.of(one)))
    const objects = needed.flatMap((dependency, at) =>
      (sources[at]?.source.values() ?? []).filter(one => isNamedBy(one, dependency)),
    )
    const isNeeded = ({ spec: { resource } }: Binding) =>
      needed.some(
        one =>
          one.name === resource.name &&
          one.kind === resource.kind &&
          one.apiVersion === resource.apiVersion &&
          one.namespace === resource.namespace,
      ) || objects.some(({ metadata }) => metadata.uid !== undefined && metadata.uid === resource.uid)
    await this.#detach(
      this.#attachedTo(binding).filter(one => !isNeeded(one)),
      binding,
    )
    const failures: unknown[] = []
    for (const object of objects) {
      if (object.metadata.deletionTimestamp) continue
      try {
        await this.#attach(binding, object)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('; '))
  }

  async #attach(owner: Binding, object: Resource): Promise<void> {
    const wanted = attachedBinding(owner, object, this.#find)
    await ensure<Binding>(this.#control, type, wanted)
    await update<Binding>(this.#control, type, wanted.metadata, present => {
      const next = attached(present, wanted, this.#find)
      const reasons = disagreements(next, this.#find)
      if (reasons.length > 0) this.#tellOfDisagreement(next, reasons)
      return sameJson(next, present) ? present : next
    })
  }

  #tellOfDisagreement(attachedTo: Binding, reasons: readonly string[]): void {
    const message = `Dependency policy conflict detected: ${reasons.join('; ')}.`
    this.#events.tell(attachedTo, COMPONENT, warning('DependencyPolicyConflict', message))
  }

  #attachedTo(owner: Binding): readonly Binding[] {
    return this.#observed.bindings.filter(one => isAttachedTo(one, owner))
  }

  async #detach(bindings: readonly Binding[], owner: Binding): Promise<void> {
    for (const { metadata } of bindings)
      await update<Binding>(this.#control, type, metadata, present =>
        isAttachedTo(present, owner) ? detached(present, owner, this.#find) : present,
      )
  }
}

/** Bindings that take along what they need, or did before, once they are scheduled. */
function isOfInterest(difference: Difference<Binding>): boolean {
  if (difference.type === 'DELETED') return false
  const { object } = difference
  const { spec, metadata } = object
  const holds = metadata.finalizers?.includes(DEPENDENCIES_FINALIZER) ?? false
  if (difference.type === 'ADDED') return holds || Boolean(spec.propagateDeps && spec.clusters?.length)
  const { previous } = difference
  const isGoing = holds && metadata.deletionTimestamp !== undefined
  return (
    isGoing ||
    (metadata.generation !== previous.metadata.generation &&
      Boolean(spec.propagateDeps || previous.spec.propagateDeps))
  )
}
