import type { Instance, InstanceSummary } from '../manifests/instance.js'
import type { Condition } from '../manifests/kube.js'
import type { AccessLocks } from './access-locks.js'
import type { InstanceIndex } from './instance-index.js'
import type { KubeApi } from './kube-api.js'
import type { RoleBindings } from './role-bindings.js'

/** A state of the instance machine, in the design's public words (section 4). */
export type InstanceState = 'registering' | 'virtualClusterSynced' | 'ready' | 'degraded' | 'deleting'

/** What this replica knows of one instance, at one moment. Immutable: a later view is a new object. */
export interface InstanceView {
  readonly name: string
  /** The CR as this replica's watch last saw it, its `status` included. */
  readonly instance: Instance
  readonly state: InstanceState
  /** When the state was entered, RFC 3339. */
  readonly since: string
  /** Conditions as the actor holds them now; the CR's status may trail behind. */
  readonly conditions: readonly Condition[]
  readonly endpoint?: string
  readonly kubernetesVersion?: string
  readonly karmadaVersion?: string
  readonly summary?: InstanceSummary
}

/** One change of the fleet, after the initial `ADDED`s and one `BOOKMARK` that says the start is complete. */
export type FleetEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly view: InstanceView }
  | { readonly type: 'BOOKMARK' }

/** One transition the machine took: why the instance is where it is. */
export interface TransitionRecord {
  /** RFC 3339 with milliseconds. */
  readonly time: string
  /** Full state paths, e.g. `registering.reaching`. */
  readonly from: string
  readonly to: string
  /** The event's type, and its payload with secrets redacted. */
  readonly event: string
  /** The cause in one sentence, e.g. `GET /readyz: connect ECONNREFUSED 127.0.0.1:5443`. */
  readonly cause: string
  readonly detail?: Readonly<Record<string, unknown>>
}

/** Everything needed to answer "why is instance X not ready". */
export interface Explanation {
  readonly view: InstanceView
  /** Full current state path(s) of the machine. */
  readonly configuration: readonly string[]
  /** What the actor waits for or does right now, in sentences. */
  readonly pending: readonly string[]
  /** Oldest first; bounded (the last 100). */
  readonly transitions: readonly TransitionRecord[]
  /** Whether this replica acts for the instance or only observes. */
  readonly leading: boolean
}

/** A message of the live inspector: a transition, an event that changed nothing, an effect that started or ended. */
export interface InspectionEvent {
  readonly time: string
  readonly instance: string
  readonly kind: 'transition' | 'event' | 'effect'
  readonly record: Readonly<Record<string, unknown>>
}

/** The read model over the instance actors: all that `http/` may ask of them. Implemented in `actors/fleet/actor-fleet.ts`. */
export interface Fleet {
  /** True once the first list of Instances has been seen; before that nothing is answered from snapshots. */
  readonly synced: boolean
  /** Views show every change that the host made to its Instances up to this version; undefined before the first list. */
  readonly resourceVersion: string | undefined
  /** Sorted by name. */
  list(): readonly InstanceView[]
  get(name: string): InstanceView | undefined
  /** Starts with the present state, then follows changes. A reader that does not keep up loses intermediate views, never the last. */
  watch(options: { readonly signal: AbortSignal; readonly name?: string }): AsyncIterable<FleetEvent>
  explain(name: string): Explanation | undefined
  /** The instance machine's chart as XState's machine configuration in JSON; the same for every instance. */
  chart(): unknown
  /** Turns inspection on for one actor while it is read (off costs nothing). */
  inspect(name: string, options: { readonly signal: AbortSignal }): AsyncIterable<InspectionEvent>
  /** The connection to an instance's control plane under Kairship's own credential, while the actor holds one. */
  connection(name: string): KubeApi | undefined
  /**
   * The groups that Karmada may impersonate in a member of an instance; absent for `cluster` for karmada-search's way to all. Undefined where
   * it is not known. The first time it waits for two seconds at most, until the RBAC of the instance was read.
   */
  groupsAtMember?(
    name: string,
    cluster: string | undefined,
  ): ReadonlySet<string> | undefined | Promise<ReadonlySet<string> | undefined>
  /** What Container Management holds of an instance; absent while there is no virtual cluster or no contact with it. */
  index(name: string): InstanceIndex | undefined
  /** Who may do what on which instance. */
  readonly roleBindings: RoleBindings
  /** Who may do nothing, whatever else says. */
  readonly accessLocks: AccessLocks
  /** Who leads, as the Lease says, and whether it is this replica. */
  leadership(): { readonly leading: boolean; readonly holder?: string }
}
