import type { InterpreterChain } from '../../../karmada/interpreter/interpreter-chain.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import {
  type AggregatedStatusItem,
  type Binding,
  bindingScopeOf,
} from '../../../karmada/objects/resource-binding.js'
import { aggregated, fullyApplied } from '../../../karmada/propagation/report.js'
import { sameJson } from '../../../karmada/same-json.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { objectKey } from '../../../streams/object-store.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import { update } from '../../client/write.js'
import { setConditions } from '../../objects/conditions.js'
import { timestamp } from '../../objects/timestamp.js'
import type { ControllerOptions } from './controller-options.js'
import { bindingText, type Events, normal, warning } from './events.js'
import type { Observed } from './observed.js'
import type { Templates } from './templates.js'
import { bindingKeyOf } from './work-index.js'

/** What the controller needs. */
export interface BindingStatusOptions extends ControllerOptions {
  readonly now: () => number
}

/** Gathers what the Works of a binding report in its status, and adds it up in the status of the template. */
export class BindingStatusController {
  readonly #control: KubeApi
  readonly #observed: Observed
  readonly #templates: Templates
  readonly #now: () => number
  readonly #events: Events
  readonly #interpreters: InterpreterChain
  readonly #queue: Reconciler

  constructor({ control, observed, templates, interpreters, events, now, log }: BindingStatusOptions) {
    this.#interpreters = interpreters
    this.#events = events
    this.#control = control
    this.#observed = observed
    this.#templates = templates
    this.#now = now
    this.#queue = new Reconciler({ log, reconcile: key => this.#reconcile(key) })
    observed.onBinding(({ type, object }) => {
      if (type !== 'DELETED') this.#queue.add(objectKey(object))
    })
    observed.works.listen(({ object }) => {
      const key = bindingKeyOf(object)
      if (key !== undefined) this.#queue.add(key)
    })
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  async #reconcile(key: string): Promise<ReconcileResult> {
    await this.#observed.synced()
    const binding = this.#observed.binding(key)
    if (!binding || binding.metadata.deletionTimestamp) return undefined
    const items = aggregated(this.#observed.worksByBinding.of(binding))
    const isNew = items.length === 0 && !binding.spec.clusters?.length && !binding.status?.aggregatedStatus
    if (isNew) return undefined
    await this.#report(binding, items)
    await this.#reportToTemplate(binding, items)
    return undefined
  }

  async #report(binding: Binding, items: readonly AggregatedStatusItem[]): Promise<void> {
    const { namespace, name } = binding.metadata
    const { type } = bindingScopeOf(binding)
    let isNews = false
    const place = { name, ...(namespace && { namespace }), subresource: 'status' }
    await update<Binding>(this.#control, type, place, current => {
      const before = current.status ?? {}
      const observed = [fullyApplied(current, items)]
      const conditions = setConditions(before.conditions, observed, timestamp(this.#now()))
      const status = { ...before, conditions, aggregatedStatus: items }
      isNews = !sameJson(status, before)
      return isNews ? { ...current, status } : current
    })
    const message = `Update ${bindingText(binding)} with AggregatedStatus successfully.`
    if (isNews) this.#events.tell(binding, componentOf(binding), normal('AggregateStatusSucceed', message))
  }

  async #reportToTemplate(binding: Binding, items: readonly AggregatedStatusItem[]): Promise<void> {
    const { namespace, name, uid } = binding.spec.resource
    const found = await this.#templates.of(binding.spec.resource)
    const template = found?.source.get(namespace ? `${namespace}/${name}` : name)
    if (!found || !template || template.metadata.uid !== uid) return
    const place = { name, ...(namespace && { namespace }), subresource: 'status' }
    const now = timestamp(this.#now())
    try {
      if (!(await this.#withStatus(template, items, now))) return
      await update<Resource>(
        this.#control,
        found.type,
        place,
        async one => (await this.#withStatus(one, items, now)) ?? one,
      )
    } catch (error) {
      this.#events.tell(template, componentOf(binding), warning('AggregateStatusFailed', error))
      throw error
    }
    const message = 'Update Resource with AggregatedStatus successfully.'
    this.#events.tell(template, componentOf(binding), normal('AggregateStatusSucceed', message))
  }

  /** The template with the status that the members' make; undefined when it has that already. */
  async #withStatus(
    template: Resource,
    items: readonly AggregatedStatusItem[],
    now: string,
  ): Promise<Resource | undefined> {
    const status = await this.#interpreters.aggregate(template, items, now)
    if (!status || sameJson(status, template.status ?? {})) return undefined
    return { ...template, status }
  }
}

const componentOf = ({ metadata }: Binding): string =>
  `${metadata.namespace ? 'resource-binding' : 'cluster-resource-binding'}-status-controller`
