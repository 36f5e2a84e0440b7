import { replicasToSync } from '../../../karmada/autoscaling/replicas-sync.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import { objectKey } from '../../../streams/object-store.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import { read, update } from '../../client/write.js'
import { DEPLOYMENTS } from '../../objects/core-types.js'
import type { Observed } from '../propagation/observed.js'

/** Until it is looked again whether the members have reported, milliseconds (Karmada's interval). */
const WAIT_MS = 1_000

/** Karmada's deploymentReplicasSyncer: templates follow the replicas that autoscalers in members decided on. */
export class DeploymentReplicasSyncer {
  readonly #queue: Reconciler

  constructor(
    private readonly control: KubeApi,
    private readonly observed: Observed,
    log: Log,
  ) {
    this.#queue = new Reconciler({ log, reconcile: key => this.#reconcile(key) })
    observed.onBinding(({ object }) => {
      const { kind, apiVersion } = object.spec.resource
      if (kind === 'Deployment' && apiVersion === 'apps/v1') this.#queue.add(objectKey(object))
    })
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  async #reconcile(key: string): Promise<ReconcileResult> {
    await this.observed.synced()
    const binding = this.observed.binding(key)
    if (!binding || binding.metadata.deletionTimestamp) return undefined
    const { namespace = '', name } = binding.spec.resource
    const template = await read<Resource>(this.control, DEPLOYMENTS, { namespace, name })
    const replicas = template && replicasToSync(template, binding)
    if (replicas === 'wait') return { again: WAIT_MS }
    if (replicas === undefined) return undefined
    // Only the template that was judged: one that was written since is judged anew.
    await update<Resource>(this.control, DEPLOYMENTS, { namespace, name }, current =>
      current.metadata.resourceVersion === template?.metadata.resourceVersion
        ? { ...current, spec: { ...current.spec, replicas } }
        : current,
    )
    return { again: WAIT_MS }
  }
}
