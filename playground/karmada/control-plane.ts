import { CLUSTER_NAMESPACE, SYSTEM_LABELS } from '../../karmada/objects/cluster.js'
import type { KubeApi, KubeConnector } from '../../ports/kube-api.js'
import type { Log } from '../../ports/log.js'
import type { JsonObject } from '../apimachinery/json.js'
import { installedTypes } from '../apiserver/installed-types.js'
import type { Aggregated } from '../apiserver/operations/aggregate.js'
import { type ApiServer, startApiServer } from '../apiserver/server.js'
import { setUp } from '../apiserver/set-up.js'
import { ensure, update } from '../client/write.js'
import { type MetricsSource, metricsApi } from '../metrics/metrics-api.js'
import type { ConfigMap } from '../objects/core.js'
import { CONFIG_MAPS, NAMESPACES } from '../objects/core-types.js'
import { timestamp } from '../objects/timestamp.js'
import { MemberQueries } from './autoscaling/member-queries.js'
import { metricsAdapter } from './autoscaling/metrics-adapter.js'
import { ClusterController } from './cluster-controller.js'
import { clusterDefinition } from './cluster-definition.js'
import { clusterProxy } from './cluster-proxy.js'
import { karmadaCustomResourceDefinitions } from './crds/index.js'
import { Interpreters } from './interpreter/interpreters.js'
import { DEFAULT_MONITOR_TIMES, type MonitorTimes } from './member-monitor.js'
import { Events } from './propagation/events.js'
import { Propagation } from './propagation/propagation.js'
import { letAdministratorUseProxies } from './proxy-admin.js'
import { QuotaAdmission } from './quota/quota-admission.js'
import { KARMADA_RELEASE } from './release.js'
import { KarmadaSearch } from './search/karmada-search.js'
import { UnifiedAuth } from './unified-auth.js'
import { karmadaWebhooks } from './webhooks.js'

/** What the API server of an embedded control plane reports; Karmada v1.18 ships this kube-apiserver. */
const KUBE_APISERVER_VERSION = 'v1.34.2'

const karmadaTypes = installedTypes(
  karmadaCustomResourceDefinitions as unknown as readonly JsonObject[],
  timestamp(Date.now()),
)

/** How an embedded Karmada control plane is started. */
export interface KarmadaOptions {
  /** Unique within the process. */
  readonly name: string
  /** 0 or absent: a free one. */
  readonly port?: number
  /** Where its state is kept; in memory when absent. */
  readonly dataDir?: string
  /** Connects to members with the credentials their Clusters name. */
  readonly connector: KubeConnector
  readonly log: Log
  /** Milliseconds since the epoch; the machine's clock unless given. */
  readonly clock?: () => number
  readonly times?: MonitorTimes
  /** Milliseconds from the deletion of a namespace until it is emptied; none unless given. */
  readonly namespaceGraceMs?: number
  /** What the controllers send to their control plane goes through this: a test breaks it. */
  readonly through?: (control: KubeApi) => KubeApi
}

/** A running Karmada control plane: an API server of its own with Karmada's types, and the controllers behind them. */
export interface Karmada {
  readonly name: string
  readonly server: ApiServer
  /** Takes Karmada's aggregated API server away, or brings it back: `clusters` answer 503 meanwhile. */
  setAggregatedApiAvailable(available: boolean): Promise<void>
  close(): Promise<void>
}

/** Starts a Karmada control plane in this process. */
export async function startKarmada(options: KarmadaOptions): Promise<Karmada> {
  const { name, connector, log, clock = Date.now } = options
  const quotas = new QuotaAdmission()
  const interpreters = new Interpreters(clock)
  const server = await startApiServer({
    name,
    log,
    gitVersion: KUBE_APISERVER_VERSION,
    installedTypes: karmadaTypes,
    // Of kube-controller-manager's account loops Karmada runs only the one that fills token Secrets.
    defaultAccounts: false,
    webhooks: karmadaWebhooks(() => timestamp(clock()), [quotas, interpreters]),
    ...(options.port !== undefined && { port: options.port }),
    ...(options.dataDir !== undefined && { dataDir: options.dataDir }),
    ...(options.clock && { clock: options.clock }),
    ...(options.namespaceGraceMs !== undefined && { namespaceGraceMs: options.namespaceGraceMs }),
  })
  const queries = new MemberQueries(server.local, connector)
  const control = options.through?.(server.local) ?? server.local
  const local = { api: control, follow: server.follow }
  const search = new KarmadaSearch({ control: local, connector, pass: server.pass, now: clock, log })
  const aggregated = await setUp(server, async () => {
    const clusters = await install(server, metricsAdapter(queries, clock))
    await server.aggregate(search.api)
    return clusters
  })
  search.start()
  const events = new Events(control, clock, log)
  const unifiedAuth = new UnifiedAuth({ control, connector, events, log })
  const times = options.times ?? DEFAULT_MONITOR_TIMES
  const controller = new ClusterController({ control, connector, events, log, times, now: clock }, change =>
    unifiedAuth.follow(change),
  )
  const propagation = new Propagation({
    control: local,
    connector,
    members: queries,
    quotas,
    interpreters,
    now: clock,
    log,
  })
  return {
    name,
    server,
    setAggregatedApiAvailable: available => aggregated.setAvailable(available),
    async close() {
      await Promise.all([
        propagation.close(),
        controller.close(),
        unifiedAuth.close(),
        queries.close(),
        search.close(),
      ])
      await events.close()
      await server.close()
    },
  }
}

/** Karmada's namespaces, the administrator's rights and the aggregated APIs. @returns the one of Clusters */
async function install(server: ApiServer, metrics: MetricsSource): Promise<Aggregated> {
  const { local } = server
  for (const namespace of ['karmada-system', CLUSTER_NAMESPACE])
    await ensure(local, NAMESPACES, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: SYSTEM_LABELS },
    })
  await letAdministratorUseProxies(local)
  await noteVersion(local)
  await server.aggregate(
    metricsApi(metrics, { namespace: 'karmada-system', name: 'karmada-metrics-adapter' }),
  )
  return server.aggregate({
    group: clusterDefinition.group,
    version: clusterDefinition.version,
    definitions: [clusterDefinition],
    connect: { 'clusters/proxy': clusterProxy(local) },
    service: { namespace: 'karmada-system', name: 'karmada-aggregated-apiserver' },
  })
}

/** An older one may have left its own version in the data directory. */
async function noteVersion(local: KubeApi): Promise<void> {
  const note: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'karmada-system', name: 'karmada-version' },
    data: { karmadaVersion: KARMADA_RELEASE },
  }
  await ensure(local, CONFIG_MAPS, note)
  await update<ConfigMap>(local, CONFIG_MAPS, note.metadata, now =>
    now.data?.karmadaVersion === KARMADA_RELEASE
      ? now
      : { ...now, data: { karmadaVersion: KARMADA_RELEASE } },
  )
}
