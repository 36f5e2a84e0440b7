import { type JsonObject, withAt } from '../../apimachinery/json.js'
import { apiVersionOf } from '../../apimachinery/resource-definition.js'
import { timestamp } from '../../objects/timestamp.js'
import { type AggregatedApi, apiServiceName } from '../catalogue/aggregation.js'
import { collectionId, type ServedType } from '../catalogue/catalogue.js'
import type { Cluster } from '../cluster.js'
import { create } from './create.js'
import { remove } from './delete.js'
import { DELETE_NOW } from './delete-options.js'
import { INTERNAL_WRITE } from './internal-options.js'
import { quietly } from './quietly.js'
import { type Target, targetOf } from './target.js'
import { write } from './update.js'

/** A registered aggregated API. */
export interface Aggregated {
  /** While unavailable every request is answered 503, and the APIService's condition says why. */
  setAvailable(available: boolean, why?: { readonly reason: string; readonly message: string }): Promise<void>
  /** Ends serving and deletes the APIService. */
  remove(): Promise<void>
}

/** Serves an aggregated API from now on, with an APIService object that says so. */
export async function aggregate(cluster: Cluster, api: AggregatedApi): Promise<Aggregated> {
  const { aggregation, catalogue } = cluster
  const name = apiServiceName(api)
  const registration = aggregation.add(api)
  catalogue.serve(`apiservice ${name}`, servedTypes(api))
  await quietly('AlreadyExists', create(apiServiceTarget(cluster, ''), apiService(api, name), INTERNAL_WRITE))
  await report(cluster, name, true, PASSED)
  return {
    setAvailable: async (available, why) => {
      registration.available = available
      await report(cluster, name, available, why ?? (available ? PASSED : FAILED))
      aggregation.tell()
    },
    remove: async () => {
      aggregation.remove(api)
      catalogue.serve(`apiservice ${name}`, [])
      await quietly('NotFound', remove(apiServiceTarget(cluster, name), DELETE_NOW))
    },
  }
}

const PASSED = { reason: 'Passed', message: 'all checks passed' } as const
const FAILED = {
  reason: 'FailedDiscoveryCheck',
  message: 'failing or missing response: the aggregated server does not answer',
} as const

async function report(
  cluster: Cluster,
  name: string,
  available: boolean,
  { reason, message }: { readonly reason: string; readonly message: string },
): Promise<void> {
  const condition = {
    lastTransitionTime: timestamp(cluster.now()),
    message,
    reason,
    status: available ? 'True' : 'False',
    type: 'Available',
  }
  const target = { ...apiServiceTarget(cluster, name), subresource: 'status' }
  await write(target, INTERNAL_WRITE, current => withAt(current, ['status', 'conditions'], [condition]))
}

function apiServiceTarget(cluster: Cluster, name: string): Target {
  const type = cluster.catalogue.find('apiregistration.k8s.io', 'v1', 'apiservices')
  if (!type) throw new Error('this cluster does not serve apiregistration.k8s.io, so it cannot aggregate')
  return targetOf(cluster, type, { name })
}

function servedTypes({ definitions = [], virtual = [] }: AggregatedApi): ServedType[] {
  return [...definitions, ...virtual].map(definition => ({
    definition,
    origin: 'aggregated',
    collection: collectionId(definition),
    storageApiVersion: apiVersionOf(definition),
  }))
}

const apiService = ({ group, version, service }: AggregatedApi, name: string): JsonObject => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name },
  spec: {
    group,
    version,
    groupPriorityMinimum: 2000,
    versionPriority: 10,
    insecureSkipTLSVerify: true,
    service: { ...(service ?? { namespace: 'kube-system', name: group.replaceAll('.', '-') }), port: 443 },
  },
})
