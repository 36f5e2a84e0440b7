import type { InterpreterChain } from '../../../karmada/interpreter/interpreter-chain.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import { MARKS, type Work, type WorkStatus } from '../../../karmada/objects/work.js'
import type { AppliedOverride } from '../../../karmada/overrides/apply-overrides.js'
import { sameJson } from '../../../karmada/same-json.js'
import { remember } from '../../objects/bounded-memory.js'
import { conditionOf } from '../../objects/conditions.js'
import { type Events, normal, templateOfManifest, warning } from './events.js'

const EXECUTION = 'execution-controller'
const STATUS = 'work-status-controller'
/** Works whose last Events are known. */
const MOST_TOLD = 4_096

/** Tells what Karmada does with Works, in the words of its execution and work status controllers. */
export class WorkEvents {
  readonly #events: Events
  readonly #told = new Map<string, number>()

  constructor(
    events: Events,
    private readonly interpreters: InterpreterChain,
  ) {
    this.#events = events
  }

  /** Once for each generation of a Work: looking again is no news. */
  synced(work: Work, manifest: Resource, cluster: string): void {
    const { namespace = '', name, uid = '', generation = 0 } = work.metadata
    const isApplied = conditionOf(work.status?.conditions, 'Applied')?.status === 'True'
    if (isApplied && this.#told.get(uid) === generation) return
    remember(this.#told, uid, generation, MOST_TOLD)
    const message = `Sync work(${namespace}/${name}) to cluster(${cluster}) successful.`
    this.#events.tell(work, EXECUTION, normal('SyncSucceed', message))
    const object = `${manifest.metadata.namespace ?? ''}/${manifest.metadata.name}`
    const done = `Successfully applied resource(${object}) to cluster ${cluster}`
    this.#events.tell(templateOfManifest(manifest), EXECUTION, normal('SyncSucceed', done))
  }

  failed(work: Work, manifest: Resource, cluster: string, why: string): void {
    const { namespace = '', name } = work.metadata
    const message = `Failed to sync work(${namespace}/${name}) to cluster(${cluster}), err: ${why}`
    this.#events.tell(work, EXECUTION, warning('SyncFailed', message))
    const { metadata } = manifest
    const object = metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name
    const failed = `Failed to create or update resource(${object}) in member cluster(${cluster}): ${why}`
    this.#events.tell(templateOfManifest(manifest), EXECUTION, warning('SyncFailed', failed))
  }

  /** No interpreter could say what the member reports of an object. */
  notReflected(work: Work, object: Resource, why: unknown): void {
    const message = `Reflect status for ${objectText(object)} failed, err: ${messageOf(why)}.`
    this.#events.tell(work, STATUS, warning('ReflectStatusFailed', message))
  }

  /** No interpreter could say whether an object is healthy. */
  notInterpreted(work: Work, object: Resource, why: unknown): void {
    const message = `Interpret health of ${objectText(object)} failed, err: ${messageOf(why)}.`
    this.#events.tell(work, STATUS, warning('InterpretHealthFailed', message))
  }

  /** Tells what is new in the status of a Work. @param object what the member has, where that was looked at */
  reported(work: Work, before: WorkStatus, after: WorkStatus, object: Resource | undefined): void {
    const dispatching = conditionOf(after.conditions, 'Dispatching')
    if (dispatching && dispatching.status !== conditionOf(before.conditions, 'Dispatching')?.status)
      this.#events.tell(work, EXECUTION, normal('WorkDispatching', dispatching.message ?? ''))
    if (!object || sameJson(before.manifestStatuses, after.manifestStatuses)) return
    const named = objectText(object)
    this.#events.tell(work, STATUS, normal('ReflectStatusSucceed', `Reflect status for ${named} succeed.`))
    const health = after.manifestStatuses?.[0]?.health
    if (!this.interpreters.knowsHealth(object) || health === 'Unknown') return
    const message = `Interpret health of ${named} as ${health === 'Unhealthy' ? 'unhealthy' : 'healthy'}.`
    this.#events.tell(work, STATUS, normal('InterpretHealthSucceed', message))
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const objectText = ({ kind, metadata }: Resource): string =>
  `object(${kind}/${metadata.namespace ?? ''}/${metadata.name})`

/** Tells of a template which override policies changed it on its way to a cluster, in the words of Karmada's override manager. */
export function tellOfOverrides(events: Events, template: Resource, work: Work, cluster: string): void {
  const { [MARKS.appliedClusterOverrides]: wide, [MARKS.appliedOverrides]: own } =
    work.metadata.annotations ?? {}
  const said = (policy: string) =>
    events.tell(
      template,
      'override-manager',
      normal('ApplyOverridePolicySucceed', `Apply ${policy} for cluster(${cluster}) succeed.`),
    )
  for (const { policyName } of rulesIn(wide)) said(`cluster override policy(${policyName})`)
  const { namespace } = template.metadata
  for (const { policyName } of rulesIn(own)) said(`override policy(${namespace}/${policyName})`)
}

const rulesIn = (annotation: string | undefined): readonly AppliedOverride[] =>
  annotation === undefined ? [] : JSON.parse(annotation)
