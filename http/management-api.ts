import { setMaxListeners } from 'node:events'
import type { DescService } from '@bufbuild/protobuf'
import type { Fleet } from '../ports/fleet.js'
import type { ImageRegistry } from '../ports/image-registry.js'
import type { KubeApi, KubeConnector } from '../ports/kube-api.js'
import type { Log } from '../ports/log.js'
import type { Meter } from '../ports/meter.js'
import type { ServiceAccounts } from '../ports/service-accounts.js'
import { AccessReviewService } from '../proto/gen/kairship/access_review_pb.js'
import { AccessLockService } from '../proto/gen/kairship/accesslock_pb.js'
import { AggregationService } from '../proto/gen/kairship/aggregation_pb.js'
import { ApiextensionsService } from '../proto/gen/kairship/apiextensions_pb.js'
import { AppsService } from '../proto/gen/kairship/apps_pb.js'
import { AuditService } from '../proto/gen/kairship/audit_pb.js'
import { AutoscalingService } from '../proto/gen/kairship/autoscaling_pb.js'
import { BatchService } from '../proto/gen/kairship/batch_pb.js'
import { CloudShellService } from '../proto/gen/kairship/cloudshell_pb.js'
import { ClusterService } from '../proto/gen/kairship/cluster_pb.js'
import { CoreService } from '../proto/gen/kairship/core_pb.js'
import { FleetService } from '../proto/gen/kairship/fleet_pb.js'
import { ImageService } from '../proto/gen/kairship/image_pb.js'
import { InsightService } from '../proto/gen/kairship/insight_pb.js'
import { InstanceService } from '../proto/gen/kairship/instance_pb.js'
import { NetworkingService } from '../proto/gen/kairship/networking_pb.js'
import { PlacementService } from '../proto/gen/kairship/placement_pb.js'
import { PolicyService } from '../proto/gen/kairship/policy_pb.js'
import { PropagationService } from '../proto/gen/kairship/propagation_pb.js'
import { RoleBindingService } from '../proto/gen/kairship/rolebinding_pb.js'
import { WorkloadService } from '../proto/gen/kairship/workload_pb.js'
import { WorkloadPodsService } from '../proto/gen/kairship/workload_pods_pb.js'
import { WorkspaceService } from '../proto/gen/kairship/workspace_pb.js'
import type { Audit } from './audit/audit.js'
import type { RecentEvents } from './audit/recent-events.js'
import { createDispatcher, type Dispatcher } from './dispatch/dispatcher.js'
import { unavailable } from './errors/failure.js'
import { type Authenticator, authenticatorOf } from './identity/authenticate.js'
import { type Authorizer, hostAuthorizer } from './identity/authorize.js'
import { EndedTokens } from './identity/ended-tokens.js'
import { DEFAULT_HOST_GRACE_MS, type HostGrace } from './identity/host-grace.js'
import { hostReviewsOf } from './identity/host-reviews-of.js'
import { confined } from './identity/instance-tokens/confined.js'
import { InstanceTokens } from './identity/instance-tokens/instance-tokens.js'
import { SigningKeys } from './identity/instance-tokens/signing-keys.js'
import { LockedCallers } from './identity/locked-callers.js'
import type { Issuers } from './identity/oidc/issuers.js'
import { roleAuthorizer } from './identity/role-authorizer.js'
import { rolePlacesOf } from './identity/role-places.js'
import { InstanceFeed } from './instances/instance-feed.js'
import { InstanceReading } from './instances/instance-reading.js'
import { OwnWrites } from './instances/own-writes.js'
import { AnswerMemory, type AnswerMemoryOptions } from './limits/answer-memory.js'
import { ConcurrencyLimit } from './limits/concurrency-limit.js'
import { LiveCalls } from './live/live-calls.js'
import { objectsOf } from './objects/karmada-objects.js'
import { ownRequestsOf } from './objects/requests/own-requests.js'
import { operationsOf, type ServedService, type ServiceHandlers } from './operation/operation.js'
import type { RequestParts } from './proxy/request-parts.js'
import type { CatchUp } from './read-your-writes/catch-up.js'
import { StoredLocks } from './rpc/access-lock/access-locks.js'
import { accessLockHandlers } from './rpc/access-lock/handlers.js'
import { accessReviewHandlers } from './rpc/access-review/handlers.js'
import { aggregationHandlers } from './rpc/aggregation/handlers.js'
import { apiextensionsHandlers } from './rpc/apiextensions/handlers.js'
import { appsHandlers } from './rpc/apps/handlers.js'
import { workloadHandlers } from './rpc/apps/workload-handlers.js'
import { auditHandlers } from './rpc/audit/handlers.js'
import { autoscalingHandlers } from './rpc/autoscaling/handlers.js'
import { batchHandlers } from './rpc/batch/handlers.js'
import { cloudShellHandlers } from './rpc/cloud-shell/handlers.js'
import { clusterHandlers } from './rpc/cluster/handlers.js'
import { coreHandlers } from './rpc/core/handlers.js'
import { fleetHandlers } from './rpc/fleet/handlers.js'
import { imageHandlers } from './rpc/image/handlers.js'
import { type InstanceMetrics, insightHandlers } from './rpc/insight/handlers.js'
import { instanceHandlers } from './rpc/instance/handlers.js'
import type { ProxyAddress } from './rpc/instance/proxy-kubeconfig.js'
import { networkingHandlers } from './rpc/networking/handlers.js'
import { placementHandlers } from './rpc/placement/handlers.js'
import { policyHandlers } from './rpc/policy/handlers.js'
import { propagationHandlers } from './rpc/propagation/handlers.js'
import { roleBindingHandlers } from './rpc/role-binding/handlers.js'
import { workloadPodsHandlers } from './rpc/workload-pods/handlers.js'
import { workspaceHandlers } from './rpc/workspace/handlers.js'
import { Workspaces } from './rpc/workspace/workspaces.js'

/** What the management API depends on. */
export interface ApiDependencies {
  readonly fleet: Fleet
  /** The host cluster under Kairship's own credential. */
  readonly host: KubeApi
  /** Connects to clusters that join or leave instances, and to control planes that are to be adopted. */
  readonly connector: KubeConnector
  readonly log: Log
  readonly audit: Audit
  /** The audit events that can be asked for. */
  readonly recentEvents: RecentEvents
  readonly meter: Meter
  readonly karmadaVersion: string
  /** The address at which callers reach the proxy. */
  readonly proxy: () => ProxyAddress
  /** Streams that one caller may hold open at once, over all wires. */
  readonly streamsPerCaller: number
  /** Remembers what callers wrote. */
  readonly catchUp: CatchUp
  /** What requests to instances pass, the same for those of the proxy. */
  readonly parts: RequestParts
  /** Where metrics of instances are queried; absent where nowhere. */
  readonly metrics?: InstanceMetrics
  /** The image registries that may be read. */
  readonly registries?: readonly ImageRegistry[]
  /** What answers of instances may take of this process's memory. */
  readonly answerMemory?: AnswerMemoryOptions | undefined
  /** The issuers whose tokens are accepted beside those of the host. */
  readonly issuers?: Issuers | undefined
  /** The ServiceAccounts of the host, where they are watched. */
  readonly accounts?: ServiceAccounts | undefined
  /** How long what the host last said of tokens and rights, and its role bindings, count while it does not answer; milliseconds. */
  readonly hostGraceMs?: number | undefined
  /** Kairship's own namespace on the host; `kairship-system` when absent. */
  readonly namespace?: string | undefined
  readonly now?: () => number
}

/** The management API without its listeners: what both wires serve. */
export interface ManagementApi {
  readonly services: readonly ServedService[]
  readonly dispatcher: Dispatcher
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  readonly locked: LockedCallers
  /** Calls under way on all doors. */
  readonly live: LiveCalls
  /** Tokens that count no longer, on all doors. */
  readonly endedTokens: EndedTokens
  readonly instances: InstanceReading
  /** The reviews that the host does not answer now, for people who read `/readyz`. */
  unansweredReviews(): readonly string[]
  /** Ends every stream, for resumption elsewhere. Calls under way go on. */
  endStreams(): void
}

/** Puts services, identity and the dispatcher together. A further service is one more line here. */
export function managementApi(dependencies: ApiDependencies): ManagementApi {
  const {
    fleet,
    host,
    connector,
    log,
    audit,
    recentEvents,
    meter,
    karmadaVersion,
    proxy,
    streamsPerCaller,
    catchUp,
    parts,
  } = dependencies
  const { metrics, registries = [], accounts, now = () => performance.now() } = dependencies
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal) // every open stream listens
  const graceMs = dependencies.hostGraceMs ?? DEFAULT_HOST_GRACE_MS
  const grace: HostGrace = {
    ms: graceMs,
    standingIn: of => meter.count('kairship_host_last_known_total', { of }),
  }
  const wallClock = () => Date.now()
  const reviews = hostReviewsOf({ host, now, log, meter, stopping: stopping.signal })
  const instanceTokens = new InstanceTokens({
    ...{ fleet, issuers: dependencies.issuers, accounts, wallClock },
    keys: new SigningKeys({ host, namespace: dependencies.namespace ?? 'kairship-system', now, wallClock }),
  })
  const authorizer = confined(
    roleAuthorizer({
      ...{ bindings: fleet.roleBindings, graceMs },
      host: hostAuthorizer({ host, reviews: reviews.access, now, grace }),
    }),
  )
  const locked = new LockedCallers(fleet.accessLocks)
  const endedTokens = new EndedTokens()
  const live = new LiveCalls({
    unconfirmedMs: graceMs,
    authorizer,
    locked,
    bindings: fleet.roleBindings,
    isLeaving: instance => (fleet.get(instance)?.state ?? 'deleting') === 'deleting',
    accounts,
    endedTokens,
    log,
    meter,
    now,
  })
  const feed = new InstanceFeed()
  feed
    .follow(fleet, stopping.signal)
    .catch(error => log.error({ err: error }, 'the fleet can no longer be followed'))
  const ownWrites = new OwnWrites({ catchUp, fleet, feed, host })
  const instances = new InstanceReading(fleet, host, ownWrites)
  const objects = objectsOf({ parts, instances })
  const ownRequests = ownRequestsOf({ parts, instances })
  const workspaces = new Workspaces(host)
  return {
    services: [
      served(
        InstanceService,
        instanceHandlers({
          ...{ fleet, feed, host, instances, ownWrites, ownRequests, karmadaVersion, proxy },
          ...{ instanceTokens, connector, authorizer },
        }),
      ),
      served(
        AccessReviewService,
        accessReviewHandlers({
          ...{ ownRequests, objects, authorizer, locked },
          ...{ roleBindings: fleet.roleBindings, graceMs },
        }),
      ),
      served(
        AccessLockService,
        accessLockHandlers({ locks: new StoredLocks(host), known: fleet.accessLocks, authorizer }),
      ),
      served(AggregationService, aggregationHandlers(objects)),
      served(ApiextensionsService, apiextensionsHandlers(objects)),
      served(AppsService, appsHandlers(objects)),
      served(AuditService, auditHandlers(recentEvents)),
      served(AutoscalingService, autoscalingHandlers(objects)),
      served(BatchService, batchHandlers(objects)),
      served(CloudShellService, cloudShellHandlers({ host, instances, ownRequests, authorizer })),
      served(ClusterService, clusterHandlers({ objects, host, connector, authorizer })),
      served(CoreService, coreHandlers(objects, ownRequests)),
      served(FleetService, fleetHandlers({ objects, instances, feed })),
      served(ImageService, imageHandlers({ registries, objects, workspaces })),
      served(InsightService, insightHandlers({ metrics, instances, activity: parts.activity })),
      served(WorkloadService, workloadHandlers(objects)),
      served(NetworkingService, networkingHandlers(objects)),
      served(PlacementService, placementHandlers(objects, ownRequests)),
      served(WorkspaceService, workspaceHandlers({ workspaces, feed, instances, objects, authorizer })),
      served(PolicyService, policyHandlers(objects)),
      served(PropagationService, propagationHandlers(objects)),
      served(RoleBindingService, roleBindingHandlers({ host, authorizer, places: rolePlacesOf(fleet) })),
      served(WorkloadPodsService, workloadPodsHandlers(objects)),
    ],
    instances,
    dispatcher: createDispatcher({
      authorizer,
      locked,
      live,
      log,
      audit,
      meter,
      now,
      streams: new ConcurrencyLimit('open streams', streamsPerCaller),
      answers: new AnswerMemory(dependencies.answerMemory),
      stopping: stopping.signal,
    }),
    authenticator: authenticatorOf({
      ...{
        host,
        reviews: reviews.token,
        issuers: dependencies.issuers,
        instanceTokens,
        accounts,
        now,
        grace,
      },
      ended: endedTokens,
    }),
    authorizer,
    locked,
    live,
    unansweredReviews: () =>
      Object.values(reviews)
        .map(({ problem }) => problem)
        .filter(problem => problem !== undefined),
    endedTokens,
    endStreams: () => stopping.abort(unavailable('the server is shutting down: resume with the last token')),
  }
}

const served = <S extends DescService>(service: S, handlers: ServiceHandlers<S>): ServedService => ({
  service,
  operations: operationsOf(service, handlers),
})
