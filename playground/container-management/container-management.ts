import type { KubeConnector } from '../../ports/kube-api.js'
import type { Log } from '../../ports/log.js'
import type { ResourceDefinition } from '../apimachinery/resource-definition.js'
import type { AggregatedRequest } from '../apiserver/catalogue/aggregation.js'
import type { ApiServer } from '../apiserver/server.js'
import type { ApiResponse } from '../apiserver/wire/exchange.js'
import { ensure } from '../client/write.js'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../objects/core-types.js'
import { DEFAULT_SYNCHRO_TIMES, type SynchroTimes } from './cluster-synchro.js'
import { containerManagementDefinitions } from './crds.js'
import { type IndexFault, Stalls } from './faults.js'
import { FleetIndex } from './index/fleet-index.js'
import { pageNotFound } from './read-api/answers.js'
import { builtInTables } from './read-api/built-in-tables.js'
import { serveCollections } from './read-api/collections.js'
import { type ReadSources, serveResources } from './read-api/resources.js'
import { SynchroManager } from './synchro-manager.js'

/** How Container Management is started on a host. */
export interface ContainerManagementOptions {
  readonly host: ApiServer
  /** Connects to the clusters that PediaClusters name. */
  readonly connector: KubeConnector
  readonly log: Log
  /** Milliseconds since the epoch; the machine's clock by default. */
  readonly clock?: () => number
  readonly times?: SynchroTimes
}

/** Container Management at work. */
export interface ContainerManagement {
  readonly index: FleetIndex
  /** Takes the read API away, or brings it back; indexing goes on. */
  setReadApiAvailable(available: boolean): Promise<void>
  /** Makes something go wrong with the index, for tests. @returns undoes it */
  interrupt(fault: IndexFault): () => void
  close(): Promise<void>
}

const GROUP = 'clusterpedia.io'
const VERSION = 'v1beta1'

const virtual = (plural: string, kind: string, verbs: readonly string[]): ResourceDefinition => ({
  group: GROUP,
  version: VERSION,
  kind,
  listKind: `${kind}List`,
  plural,
  singular: '',
  shortNames: [],
  categories: [],
  namespaced: false,
  verbs,
  subresources: {},
  schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  printerColumns: [],
  custom: false,
})

/** Serves Clusterpedia's contract on a host: PediaClusters in, an index of their objects out. */
export async function startContainerManagement(
  options: ContainerManagementOptions,
): Promise<ContainerManagement> {
  const { host, connector, log, clock = Date.now, times = DEFAULT_SYNCHRO_TIMES } = options
  for (const definition of containerManagementDefinitions)
    await ensure(host.local, CUSTOM_RESOURCE_DEFINITIONS, definition)
  const index = new FleetIndex()
  const stalls = new Stalls()
  const manager = new SynchroManager({ host: host.local, connector, index, stalls, log, now: clock, times })
  const sources: ReadSources = { index, clusters: manager, table: builtInTables(clock) }
  const api = await host.aggregate({
    group: GROUP,
    version: VERSION,
    virtual: [
      virtual('resources', 'Resources', ['get']),
      virtual('collectionresources', 'CollectionResource', ['get', 'list']),
    ],
    handle: request => answer(sources, request),
    service: { namespace: 'clusterpedia-system', name: 'clusterpedia-apiserver' },
  })
  return {
    index,
    setReadApiAvailable: available => api.setAvailable(available),
    interrupt: fault => (fault.kind === 'stall' ? stalls.start(fault) : manager.loseObjects(fault)),
    async close() {
      await manager.close()
      await api.remove()
    },
  }
}

const ROOT = `/apis/${GROUP}/${VERSION}/`

async function answer(sources: ReadSources, request: AggregatedRequest): Promise<ApiResponse> {
  const [resource, ...rest] = request.path.slice(ROOT.length).split('/')
  if (resource === 'resources') return serveResources(sources, rest.join('/'), request)
  if (resource === 'collectionresources' && rest.length < 2 && request.method === 'GET')
    return serveCollections(sources, rest[0] ?? '', request)
  return pageNotFound()
}
