import type { Log } from '../../../ports/log.js'
import type { ControlPlane } from '../../client/source.js'
import type { Pod } from '../../objects/core.js'
import { PODS } from '../../objects/core-types.js'
import { PodLifecycle } from '../kubelet/pod-lifecycle.js'
import type { Pace, StartProcess } from '../kubelet/pod-runner.js'
import { Autoscalers } from './autoscaler.js'
import { Controller } from './controller.js'
import { autoscalerDefinition, DEFINITIONS, FOLLOWED, kubeletDefinition } from './definitions.js'
import { EventRecorder } from './event-recorder.js'
import type { World } from './plan.js'
import { Sources } from './sources.js'
import { Writer } from './writer.js'

/** How the controllers of a member are started. */
export interface ControllerManagerOptions {
  readonly cluster: ControlPlane
  readonly log: Log
  readonly now: () => number
  readonly pace: Pace
  readonly startProcess: StartProcess
  /** Called with the uid of a pod that is no more. */
  readonly podGone: (uid: string) => void
}

/** Everything that makes a member live: kube-controller-manager, kube-scheduler and the kubelets. Owns their watches, timers and processes. */
export class ControllerManager {
  readonly #sources = new Sources(FOLLOWED)
  readonly #controllers: readonly Controller<never>[]
  readonly #lifecycle: PodLifecycle
  readonly #now: () => number

  constructor({ cluster, log, now, pace, startProcess, podGone }: ControllerManagerOptions) {
    this.#now = now
    const writer = new Writer(cluster.api, new EventRecorder(cluster.api, now).tell)
    const sources = this.#sources
    this.#lifecycle = new PodLifecycle({
      pace,
      now,
      startProcess,
      again: key => kubelet.add(key),
      forget: podGone,
    })
    sources.listen<Pod>(PODS, ({ type, object }) => {
      if (type === 'DELETED') this.#lifecycle.gone(object)
    })
    const kubelet = new Controller(kubeletDefinition(this.#lifecycle.plan), sources, writer, { log, now })
    this.#controllers = [
      ...DEFINITIONS.map(definition => new Controller(definition, sources, writer, { log, now })),
      new Controller(autoscalerDefinition(new Autoscalers()), sources, writer, { log, now }),
      kubelet,
    ]
    sources.start(cluster)
  }

  /** What the member holds, as its controllers see it. */
  readonly world = async (): Promise<World> => {
    await this.#sources.synced()
    return this.#sources.worldAt(this.#now())
  }

  async close(): Promise<void> {
    this.#sources.close()
    await Promise.all(this.#controllers.map(controller => controller.close()))
    this.#lifecycle.close()
  }
}
