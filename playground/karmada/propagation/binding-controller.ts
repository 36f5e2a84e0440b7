import type { InterpreterChain } from '../../../karmada/interpreter/interpreter-chain.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import { executionNamespace, workName } from '../../../karmada/names.js'
import { isWorkload } from '../../../karmada/objects/binding.js'
import { type Binding, bindingScopeOf } from '../../../karmada/objects/resource-binding.js'
import { WORKS, type Work } from '../../../karmada/objects/work.js'
import { isOverriddenBy } from '../../../karmada/overrides/apply-overrides.js'
import { purgedClusters, stayingClusters, targetsOf, workOf } from '../../../karmada/propagation/work-of.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { objectKey } from '../../../streams/object-store.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import { remove, update, withoutFinalizer } from '../../client/write.js'
import type { ControllerOptions } from './controller-options.js'
import { bindingText, type Events, normal, warning } from './events.js'
import type { Observed } from './observed.js'
import type { Templates } from './templates.js'
import { tellOfOverrides } from './work-events.js'
import { bindingKeyOf } from './work-index.js'
import { writeWork } from './work-writer.js'

/**
 * Karmada's binding controller: a Work for each cluster of a binding, and none elsewhere. A template by itself changes no Work: the policy
 * controller writes its new version into the binding, unless no policy selects it any more.
 */
export class BindingController {
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
      const { type, object } = difference
      const isStatusOnly =
        type === 'MODIFIED' &&
        !object.metadata.deletionTimestamp &&
        object.metadata.generation === difference.previous.metadata.generation
      if (type !== 'DELETED' && !isStatusOnly) this.#queue.add(objectKey(object))
    })
    observed.works.listen(({ type, object }) => {
      const key = bindingKeyOf(object)
      if (key !== undefined && (type === 'ADDED' || type === 'DELETED')) this.#queue.add(key)
    })
    observed.onOverride(difference => {
      const { type, object } = difference
      const policies = type === 'MODIFIED' ? [difference.previous, object] : [object]
      for (const binding of observed.bindings) {
        const template = this.#templateOf(binding)
        if (template && policies.some(policy => isOverriddenBy(template, policy)))
          this.#queue.add(objectKey(binding))
      }
    })
  }

  /** Undefined where it is gone, and before its kind is watched: the binding is reconciled then anyway. */
  #templateOf({ spec: { resource } }: Binding): Resource | undefined {
    const { apiVersion, kind, namespace, name } = resource
    const found = this.#templates.open.find(one => one.apiVersion === apiVersion && one.kind === kind)
    return found?.source.get(namespace ? `${namespace}/${name}` : name)
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  async #reconcile(key: string): Promise<ReconcileResult> {
    await this.#observed.synced()
    const binding = this.#observed.binding(key)
    if (!binding) return undefined
    const works = this.#observed.worksByBinding.of(binding)
    if (binding.metadata.deletionTimestamp) return this.#finalize(binding, works)
    const staying = new Set([...stayingClusters(binding)].map(executionNamespace))
    await this.#delete(works.filter(({ metadata }) => !staying.has(metadata.namespace ?? '')))
    // What is purged directly is gone before anything runs elsewhere; the last Work of it comes back here.
    const purged = new Set([...purgedClusters(binding)].map(executionNamespace))
    if (works.some(({ metadata }) => purged.has(metadata.namespace ?? ''))) return undefined
    const found = await this.#templates.of(binding.spec.resource)
    const { namespace, name, uid } = binding.spec.resource
    const template = found?.source.get(namespace ? `${namespace}/${name}` : name)
    // Gone, or another object of its name: the garbage collector takes the binding away.
    if (!template || (uid !== undefined && template.metadata.uid !== uid)) return undefined
    const failures: unknown[] = []
    let isNews = false
    for (const target of targetsOf(binding)) {
      const cluster = this.#observed.clusters.get(target.name)
      if (!cluster || cluster.metadata.deletionTimestamp) continue
      const work = `${executionNamespace(target.name)}/${workName(template.kind, name, namespace)}`
      const present = this.#observed.works.get(work)
      try {
        const revised = isWorkload(binding.spec)
          ? await this.#interpreters.revise(template, target.replicas ?? 0)
          : template
        const overrides = this.#observed.overridePolicies
        const wanted = workOf(binding, template, target, cluster, overrides, present, revised)
        if (!(await writeWork(this.#control, wanted, present))) continue
        tellOfOverrides(this.#events, template, wanted, target.name)
        isNews = true
      } catch (error) {
        failures.push(error)
      }
    }
    const component = namespace ? 'binding-controller' : 'cluster-resource-binding-controller'
    if (failures.length > 0) {
      const error = new AggregateError(failures, failures.map(String).join('; '))
      this.#events.tellOfBoth(binding, component, warning('SyncWorkFailed', error))
      throw error
    }
    const message = `Sync work of ${bindingText(binding)} successful.`
    if (isNews) this.#events.tellOfBoth(binding, component, normal('SyncWorkSucceed', message))
    return undefined
  }

  async #finalize(binding: Binding, works: readonly Work[]): Promise<undefined> {
    await this.#delete(works)
    const { type, finalizer } = bindingScopeOf(binding)
    await update<Binding>(this.#control, type, binding.metadata, one => withoutFinalizer(one, finalizer))
  }

  async #delete(works: readonly Work[]): Promise<void> {
    for (const { metadata } of works)
      if (!metadata.deletionTimestamp) await remove(this.#control, WORKS, metadata)
  }
}
