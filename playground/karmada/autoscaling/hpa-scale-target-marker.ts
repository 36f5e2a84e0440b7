import {
  type Autoscaler,
  type Mark,
  markPatch,
  marks,
} from '../../../karmada/autoscaling/scale-target-mark.js'
import { type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { isNotFound } from '../../../manifests/status-error.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import type { Observed } from '../propagation/observed.js'
import type { ResourceTypes } from '../propagation/resource-types.js'

/** What the marker needs. */
export interface MarkerOptions {
  readonly control: KubeApi
  readonly observed: Observed
  readonly types: ResourceTypes
  readonly log: Log
}

/** Karmada's hpaScaleTargetMarker: the replicas of what a propagated autoscaler scales belong to the members. */
export class HpaScaleTargetMarker {
  readonly #options: MarkerOptions
  readonly #queue: Reconciler
  /** What is wanted of each workload, by `namespace/apiVersion/kind/name`. */
  readonly #wanted = new Map<string, { readonly namespace: string; readonly mark: Mark }>()

  constructor(options: MarkerOptions) {
    this.#options = options
    this.#queue = new Reconciler({ log: options.log, reconcile: key => this.#reconcile(key) })
    options.observed.autoscalers.listen(difference => {
      const { type, object } = difference
      if (type === 'ADDED') this.#take(object, marks(undefined, object))
      else if (type === 'DELETED') this.#take(object, marks(object, undefined))
      else this.#take(object, marks(difference.previous, object))
    })
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  #take({ metadata: { namespace = '' } }: Autoscaler, wanted: readonly Mark[]): void {
    for (const mark of wanted) {
      const { apiVersion, kind, name } = mark.target
      const key = [namespace, apiVersion, kind, name].join('/')
      this.#wanted.set(key, { namespace, mark })
      this.#queue.add(key)
    }
  }

  async #reconcile(key: string): Promise<ReconcileResult> {
    const { control, types } = this.#options
    const wanted = this.#wanted.get(key)
    if (!wanted) return undefined
    const { namespace, mark } = wanted
    const { apiVersion = '', kind, name } = mark.target
    const type = await types.find(apiVersion, kind)
    if (type) {
      const path = resourcePath(type, { namespace, name })
      try {
        const body = markPatch(await control.request<KubeObject>({ method: 'GET', path }), mark.isOn)
        const contentType = 'application/merge-patch+json'
        if (body) await control.request({ method: 'PATCH', path, body, contentType })
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    }
    if (this.#wanted.get(key) === wanted) this.#wanted.delete(key)
    return undefined
  }
}
