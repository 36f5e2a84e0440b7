import type { InterpreterChain } from '../../../karmada/interpreter/interpreter-chain.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import type { Events } from './events.js'
import type { Observed } from './observed.js'
import type { Templates } from './templates.js'

/** What the controllers need that look at templates. */
export interface ControllerOptions {
  readonly control: KubeApi
  readonly observed: Observed
  readonly templates: Templates
  readonly interpreters: InterpreterChain
  readonly events: Events
  readonly log: Log
}
