import type { KubeApi, KubeConnector } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import type { Events } from '../propagation/events.js'
import type { Observed } from '../propagation/observed.js'

/** What the controllers of networking need. */
export interface NetworkingOptions {
  readonly control: KubeApi
  readonly connector: KubeConnector
  readonly observed: Observed
  readonly events: Events
  readonly now: () => number
  readonly log: Log
}
