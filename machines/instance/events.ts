import type { Instance, InstanceSummary } from '../../manifests/instance.js'
import type { Failure } from '../failure.js'
import type {
  Answer,
  ControlPlane,
  Credentials,
  FirstInstance,
  Measured,
  OutsideObject,
  SharedFact,
} from './facts.js'
import type { Task } from './task.js'

/**
 * The events of an instance actor. All are facts, in the past tense, and whole: received twice or late they change nothing,
 * and the last one of a kind is enough. There are no commands: a wish is written into the CR.
 */
export type InstanceEvent = CrEvent | LeadershipEvent | OwnObserverEvent | HostEvent | ClockEvent

/** From the watch on Instances. */
export type CrEvent =
  | { readonly type: 'instance.observed'; readonly instance: Instance }
  /** The CR is gone from the API. */
  | { readonly type: 'instance.removed' }

/** From the supervisor, which holds the lease. */
export type LeadershipEvent = { readonly type: 'leadership.gained' } | { readonly type: 'leadership.lost' }

/** From the observers that each instance runs for itself, over its own connection. */
export type OwnObserverEvent =
  /** The RBAC inside that was made of role bindings was changed. */
  | { readonly type: 'roleBindings.rbacChanged' }
  | { readonly type: 'credentials.observed'; readonly credentials: Answer<Credentials> }
  | {
      readonly type: 'controlPlane.probed'
      readonly controlPlane: Answer<ControlPlane>
      readonly aggregatedApi: Answer<object>
      /** Of the kubeconfig under which the last good answer of the control plane came; absent while there was none. */
      readonly fingerprint?: string
    }
  /** There is no connection any more: what was observed over it is void. */
  | { readonly type: 'controlPlane.contactLost' }
  /** The canary was seen in the index again, or not for too long: sent when the judgement changes, not with every figure. */
  | { readonly type: 'index.measured'; readonly index: Answer<Measured> }
  /** The control plane gave a token to impersonate callers with, or refused one: sent when that changes, and never before a caller came. */
  | { readonly type: 'impersonation.answered'; readonly impersonation: Answer<object> }
  | {
      readonly type: 'statistics.observed'
      readonly statistics: Answer<{ readonly summary: InstanceSummary }>
    }

/** From the watches on the host that all instances share. */
export type HostEvent =
  | {
      readonly type: 'duplicate.observed'
      readonly first?: FirstInstance
      /** It was a duplicate of an Instance that is gone, and its own control plane is not known: it may be one of another. */
      readonly undecided?: boolean
    }
  | { readonly type: 'installation.observed'; readonly installation: OutsideObject | 'absent' }
  | { readonly type: 'virtualCluster.observed'; readonly virtualCluster: OutsideObject | 'absent' }
  | { readonly type: 'registration.observed'; readonly registration: OutsideObject | 'absent' }
  | {
      readonly type: 'roleBindings.observed'
      readonly roleBindings: { readonly revision: string; readonly count: number }
    }
  /** A shared watch broke and could not be resumed in time: what was seen through it is void until seen again. */
  | { readonly type: 'host.contactLost'; readonly of: SharedFact; readonly failure: Failure }
  | { readonly type: 'host.contactMade'; readonly of: SharedFact }

/** From the clock actors that rests are made of. */
export type ClockEvent =
  | {
      readonly type: 'rest.began'
      readonly task: Task /** Milliseconds since the epoch. */
      readonly until: number
    }
  | { readonly type: 'rest.ended'; readonly task: Task }
