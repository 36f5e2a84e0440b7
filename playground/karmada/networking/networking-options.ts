import type { KubeApi } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import type { Events } from '../propagation/events.js'
import type { Observed } from '../propagation/observed.js'
import type { MemberSlices } from './member-slices.js'

/** What the controllers of networking need. */
export interface NetworkingOptions {
  readonly control: KubeApi
  readonly observed: Observed
  readonly slices: MemberSlices
  readonly events: Events
  readonly now: () => number
  readonly log: Log
}
