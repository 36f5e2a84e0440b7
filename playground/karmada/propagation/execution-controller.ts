import type { InterpreterChain } from '../../../karmada/interpreter/interpreter-chain.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import { executionNamespace } from '../../../karmada/names.js'
import type { Cluster } from '../../../karmada/objects/cluster.js'
import {
  MARKS,
  type ManifestStatus,
  WORK_FINALIZER,
  WORKS,
  type Work,
  type WorkStatus,
} from '../../../karmada/objects/work.js'
import { isManaged, type Retain, released, updateInMember } from '../../../karmada/propagation/in-member.js'
import { applied, dispatching } from '../../../karmada/propagation/report.js'
import { sameJson } from '../../../karmada/same-json.js'
import { type GroupVersionResource, resourcePath } from '../../../manifests/kube.js'
import { isAlreadyExists, isConflict, isNotFound, StatusError } from '../../../manifests/status-error.js'
import type { KubeApi, KubeConnector } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import { objectKey } from '../../../streams/object-store.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import type { Difference } from '../../client/source.js'
import { read, update, withoutFinalizer } from '../../client/write.js'
import { conditionOf, setConditions } from '../../objects/conditions.js'
import { timestamp } from '../../objects/timestamp.js'
import type { Events } from './events.js'
import { interpretedStatus } from './manifest-status.js'
import { Members } from './members.js'
import type { Observed } from './observed.js'
import type { ResourceTypes } from './resource-types.js'
import { WorkEvents } from './work-events.js'

/** Attempts to write an object that the member's controllers write too. */
const MAX_CONFLICTS = 5

/** What the controller needs. */
export interface ExecutionOptions {
  readonly control: KubeApi
  readonly connector: KubeConnector
  readonly observed: Observed
  readonly types: ResourceTypes
  readonly interpreters: InterpreterChain
  readonly events: Events
  readonly now: () => number
  readonly log: Log
}

/**
 * Karmada's execution and work status controllers: makes in the member what a Work says, mends what is changed there, takes
 * it away with the Work, and reports what the member says of it.
 */
export class ExecutionController {
  readonly #options: ExecutionOptions
  readonly #members: Members
  readonly #queue: Reconciler
  readonly #events: WorkEvents

  constructor(options: ExecutionOptions) {
    this.#options = options
    const { observed, control, connector, events, log } = options
    this.#events = new WorkEvents(events, options.interpreters)
    this.#queue = new Reconciler({ log, reconcile: key => this.#reconcile(key) })
    this.#members = new Members(control, connector, object => {
      const { [MARKS.workNamespace]: namespace, [MARKS.workName]: name } = object.metadata.annotations ?? {}
      if (namespace && name) this.#queue.add(`${namespace}/${name}`)
    })
    observed.works.listen(difference => {
      const { type, object } = difference
      const isStatusOnly =
        type === 'MODIFIED' &&
        !object.metadata.deletionTimestamp &&
        object.metadata.generation === difference.previous.metadata.generation
      if (type !== 'DELETED' && !isStatusOnly) this.#queue.add(objectKey(object))
    })
    observed.clusters.listen(difference => this.#onCluster(difference))
  }

  async close(): Promise<void> {
    await Promise.all([this.#queue.close(), this.#members.close()])
  }

  /** Works wait for their cluster to be ready; a cluster that is gone is a key of its own. */
  #onCluster(difference: Difference<Cluster>): void {
    const { type, object } = difference
    const { name, deletionTimestamp } = object.metadata
    if (type === 'DELETED') this.#queue.add(name)
    if (type === 'MODIFIED' && isReady(object) === isReady(difference.previous) && !deletionTimestamp) return
    for (const work of this.#options.observed.works.values())
      if (work.metadata.namespace === executionNamespace(name)) this.#queue.add(objectKey(work))
  }

  async #reconcile(key: string): Promise<ReconcileResult> {
    const { observed } = this.#options
    await observed.synced()
    if (!key.includes('/')) {
      if (!observed.clusters.get(key)) await this.#members.drop(key)
      return undefined
    }
    const work = observed.works.get(key)
    if (!work) return undefined
    const name = (work.metadata.namespace ?? '').slice(executionNamespace('').length)
    const cluster = observed.clusters.get(name)
    if (work.metadata.deletionTimestamp) return this.#finalize(work, cluster)
    if (work.spec.suspendDispatching) {
      await this.#report(work, before => before)
      return undefined
    }
    // Told again when it becomes ready.
    if (!cluster || !isReady(cluster) || cluster.metadata.deletionTimestamp) return undefined
    const [manifest] = work.spec.workload.manifests
    if (manifest) await this.#execute(work, manifest, cluster)
    return undefined
  }

  async #execute(work: Work, manifest: Resource, cluster: Cluster): Promise<void> {
    let made: Resource
    try {
      made = await this.#inMember(cluster, manifest, (api, type) =>
        apply(api, type, manifest, cluster.metadata.name, (desired, observed) =>
          this.#options.interpreters.retain(desired, observed),
        ),
      )
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      await this.#report(work, before => this.#condition(before, applied(message)))
      this.#events.failed(work, manifest, cluster.metadata.name, message)
      throw error
    }
    this.#events.synced(work, manifest, cluster.metadata.name)
    const isApplied = (before: WorkStatus) => this.#condition(before, applied())
    let status: ManifestStatus
    try {
      status = await interpretedStatus(this.#options.interpreters, this.#events, work, made)
    } catch (error) {
      await this.#report(work, isApplied)
      throw error
    }
    await this.#report(work, before => ({ ...isApplied(before), manifestStatuses: [status] }), made)
  }

  /** The member's object goes in the background. A member that leaves while it is out of reach keeps what it has. */
  async #finalize(work: Work, cluster: Cluster | undefined): Promise<undefined> {
    if (!work.metadata.finalizers?.includes(WORK_FINALIZER)) return undefined
    const [manifest] = work.spec.workload.manifests
    if (cluster && !isReady(cluster) && !cluster.metadata.deletionTimestamp) return undefined
    if (manifest && cluster && isReady(cluster))
      await this.#inMember(cluster, manifest, (api, type) =>
        work.spec.preserveResourcesOnDeletion ? release(api, type, manifest) : erase(api, type, manifest),
      )
    await update<Work>(this.#options.control, WORKS, work.metadata, one =>
      withoutFinalizer(one, WORK_FINALIZER),
    )
    return undefined
  }

  /** Does something in a member and then watches the type there. A connection that is refused is made anew next time. */
  async #inMember<T>(
    cluster: Cluster,
    { apiVersion, kind }: Resource,
    act: (api: KubeApi, type: GroupVersionResource) => Promise<T>,
  ): Promise<T> {
    const type = await this.#options.types.find(apiVersion, kind)
    if (!type) throw new Error(`no matches for kind "${kind}" in version "${apiVersion}"`)
    try {
      const result = await act(await this.#members.connect(cluster), type)
      await this.#members.watch(cluster, type)
      return result
    } catch (error) {
      const isRefused = error instanceof StatusError && error.code === 401
      if (isRefused) await this.#members.drop(cluster.metadata.name)
      throw error
    }
  }

  #condition(status: WorkStatus, observed: Parameters<typeof setConditions>[1][number]): WorkStatus {
    return {
      ...status,
      conditions: setConditions(status.conditions, [observed], timestamp(this.#options.now())),
    }
  }

  /** @param object what the member has, where that was looked at */
  async #report(work: Work, change: (status: WorkStatus) => WorkStatus, object?: Resource): Promise<void> {
    const { namespace, name } = work.metadata
    const place = { name, ...(namespace && { namespace }), subresource: 'status' }
    const after = (status: WorkStatus) => change(this.#condition(status, dispatching(work)))
    const known = this.#options.observed.works.get(objectKey(work))?.status ?? {}
    if (sameJson(known, after(known))) return
    this.#events.reported(work, known, after(known), object)
    await update<Work>(this.#options.control, WORKS, place, current => {
      const before = current.status ?? {}
      const status = after(before)
      return sameJson(before, status) ? current : { ...current, status }
    })
  }
}

const isReady = ({ status }: Cluster): boolean => conditionOf(status?.conditions, 'Ready')?.status === 'True'

const placeOf = ({ metadata: { namespace, name } }: Resource) => ({ name, ...(namespace && { namespace }) })

/** Creates or updates the object, again when a client of the member wrote in between. @returns what is there afterwards */
async function apply(
  api: KubeApi,
  type: GroupVersionResource,
  manifest: Resource,
  cluster: string,
  retain: Retain,
): Promise<Resource> {
  const place = placeOf(manifest)
  for (let attempt = 1; ; attempt++) {
    try {
      const observed = await read<Resource>(api, type, place)
      if (!observed) {
        const path = resourcePath(
          type,
          manifest.metadata.namespace ? { namespace: manifest.metadata.namespace } : {},
        )
        return await api.request<Resource>({ method: 'POST', path, body: manifest })
      }
      const body = await updateInMember(manifest, observed, cluster, retain)
      if (!body) return { ...observed, apiVersion: manifest.apiVersion, kind: manifest.kind }
      return await api.request<Resource>({ method: 'PUT', path: resourcePath(type, place), body })
    } catch (error) {
      if (!(isConflict(error) || isAlreadyExists(error)) || attempt === MAX_CONFLICTS) throw error
    }
  }
}

/** Deletes what Karmada made. */
async function erase(api: KubeApi, type: GroupVersionResource, manifest: Resource): Promise<void> {
  const place = placeOf(manifest)
  const observed = await read<Resource>(api, type, place)
  if (!observed || !isManaged(observed)) return
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' }
  try {
    await api.request({ method: 'DELETE', path: resourcePath(type, place), body })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** Leaves the object in the member, as its own. */
async function release(api: KubeApi, type: GroupVersionResource, manifest: Resource): Promise<void> {
  await update<Resource>(api, type, placeOf(manifest), released)
}
