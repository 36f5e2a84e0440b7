import {
  CRON_FEDERATED_HPAS,
  type CronFederatedHpa,
  type CronRule,
  type Executed,
  histories,
} from '../../../karmada/autoscaling/cron-scaling.js'
import { sameJson } from '../../../karmada/same-json.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import { objectKey } from '../../../streams/object-store.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import { update } from '../../client/write.js'
import { parseSchedule, type Schedule, ScheduleError } from '../../member/controllers/schedule.js'
import { timestamp } from '../../objects/timestamp.js'
import { type Events, warning } from '../propagation/events.js'
import type { Observed } from '../propagation/observed.js'
import type { ResourceTypes } from '../propagation/resource-types.js'
import { HPA_VERSION, limitHpa } from './hpa-limits.js'
import { scale } from './scale-target.js'

/** What the controllers of autoscaling need. */
export interface CronScalingOptions {
  readonly control: KubeApi
  readonly observed: Observed
  readonly types: ResourceTypes
  readonly events: Events
  readonly now: () => number
  readonly log: Log
}

/** A rule under way. */
interface Running {
  readonly rule: CronRule
  readonly schedule: Schedule | undefined
  /** Milliseconds since the epoch; absent where it never comes. */
  readonly next: number | undefined
}

/** setTimeout cannot wait longer, milliseconds. */
const LONGEST_MS = 2_147_483_647

/**
 * Karmada's CronFederatedHPA controller: scales at set times. What a rule missed while the controllers were away is not made
 * up for, as in Karmada.
 */
export class CronScalingController {
  readonly #options: CronScalingOptions
  readonly #queue: Reconciler
  /** By object, then by rule. */
  readonly #running = new Map<string, ReadonlyMap<string, Running>>()

  constructor(options: CronScalingOptions) {
    this.#options = options
    this.#queue = new Reconciler({ log: options.log, reconcile: key => this.#reconcile(key) })
    options.observed.cronScalings.listen(difference => {
      const { type, object } = difference
      const isNews = type !== 'MODIFIED' || !sameJson(object.spec, difference.previous.spec)
      if (isNews) this.#queue.add(objectKey(object))
    })
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  async #reconcile(key: string): Promise<ReconcileResult> {
    const { observed, now } = this.#options
    await observed.synced()
    const cron = observed.cronScalings.get(key)
    if (!cron || cron.metadata.deletionTimestamp) {
      this.#running.delete(key)
      return undefined
    }
    const executed: Executed[] = []
    const running = new Map<string, Running>()
    for (const rule of cron.spec.rules) {
      const known = this.#running.get(key)?.get(rule.name)
      const one = known && sameJson(known.rule, rule) ? known : this.#begin(cron, rule)
      const { next, schedule } = one
      if (next === undefined || next > now()) {
        running.set(rule.name, one)
        continue
      }
      executed.push(await this.#execute(cron, rule, next))
      running.set(rule.name, { ...one, next: schedule?.next(now()) })
    }
    this.#running.set(key, running)
    await this.#report(cron, running, executed)
    const due = [...running.values()].flatMap(({ next }) => (next === undefined ? [] : [next]))
    if (due.length === 0) return undefined
    return { again: Math.min(LONGEST_MS, Math.max(1, Math.min(...due) - now())) }
  }

  /** A rule that cannot be parsed gets an Event, and waits for its next change. */
  #begin(cron: CronFederatedHpa, rule: CronRule): Running {
    if (rule.suspend) return { rule, schedule: undefined, next: undefined }
    try {
      const schedule = parseSchedule(rule.schedule, rule.timeZone)
      return { rule, schedule, next: schedule.next(this.#options.now()) }
    } catch (error) {
      if (!(error instanceof ScheduleError)) throw error
      this.#tell(cron, 'StartRuleFailed', error)
      return { rule, schedule: undefined, next: undefined }
    }
  }

  async #execute(cron: CronFederatedHpa, rule: CronRule, due: number): Promise<Executed> {
    const { control, types, now } = this.#options
    const times = { rule: rule.name, scheduleTime: timestamp(due), executionTime: timestamp(now()) }
    try {
      const { namespace = '' } = cron.metadata
      const { scaleTargetRef } = cron.spec
      const { apiVersion, kind, name } = scaleTargetRef
      if (apiVersion === HPA_VERSION) await limitHpa(control, kind, { namespace, name }, rule)
      else await scale(control, types, namespace, scaleTargetRef, () => rule.targetReplicas ?? 0)
      return times
    } catch (error) {
      this.#tell(cron, 'ScaleFailed', error)
      return { ...times, failure: error instanceof Error ? error.message : String(error) }
    }
  }

  async #report(
    { metadata }: CronFederatedHpa,
    running: ReadonlyMap<string, Running>,
    executed: readonly Executed[],
  ): Promise<void> {
    const { namespace = '', name } = metadata
    const place = { namespace, name, subresource: 'status' }
    const nextOf = (rule: string) => {
      const next = running.get(rule)?.next
      return next === undefined ? undefined : timestamp(next)
    }
    await update<CronFederatedHpa>(this.#options.control, CRON_FEDERATED_HPAS, place, current => {
      const executionHistories = histories(current, nextOf, executed)
      if (sameJson(executionHistories, current.status?.executionHistories ?? [])) return current
      return { ...current, status: { ...current.status, executionHistories } }
    })
  }

  #tell(cron: CronFederatedHpa, reason: string, error: unknown): void {
    this.#options.events.tell(cron, 'cronfederatedhpa-controller', warning(reason, error))
  }
}
