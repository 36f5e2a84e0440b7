import { SelectorError } from '../../manifests/label-selector.js'
import { type JsonObject, stringAt } from '../apimachinery/json.js'
import { parseLabelSelector } from '../apimachinery/label-selector.js'
import type { PrinterColumn, ResourceDefinition } from '../apimachinery/resource-definition.js'
import { toTable } from '../apimachinery/table/to-table.js'
import { badRequest, methodNotAllowed, notFound } from '../apiserver/api-status.js'
import type { AggregatedApi, AggregatedRequest } from '../apiserver/catalogue/aggregation.js'
import { type ApiResponse, header, pageNotFound } from '../apiserver/wire/exchange.js'
import { negotiate } from '../apiserver/wire/negotiate.js'
import { METRICS_GROUP, METRICS_VERSION } from './measured.js'

/** Which nodes or pods a request is about. */
export interface MetricsQuery {
  /** '' for all namespaces, and for nodes. */
  readonly namespace: string
  /** '' unless one is meant. */
  readonly name: string
  /** As in the request; it can be parsed. */
  readonly labelSelector: string
}

/** Answers with NodeMetrics or PodMetrics, as JSON. */
export interface MetricsSource {
  readonly nodes: (query: MetricsQuery) => Promise<readonly JsonObject[]>
  readonly pods: (query: MetricsQuery) => Promise<readonly JsonObject[]>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

const column = (name: string, value: (object: JsonObject) => string): PrinterColumn => ({
  name,
  type: 'string',
  description: '',
  priority: 0,
  value,
})

const definition = (plural: 'nodes' | 'pods', kind: string): ResourceDefinition => ({
  group: METRICS_GROUP,
  version: METRICS_VERSION,
  kind,
  listKind: `${kind}List`,
  plural,
  singular: '',
  shortNames: [],
  categories: [],
  namespaced: plural === 'pods',
  verbs: ['get', 'list'],
  subresources: {},
  schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  printerColumns: [
    { ...column('Name', object => stringAt(object, 'metadata', 'name')), format: 'name' },
    column('Window', object => stringAt(object, 'window')),
  ],
  custom: false,
})

const NODES = definition('nodes', 'NodeMetrics')
const PODS = definition('pods', 'PodMetrics')

/** metrics.k8s.io as metrics-server serves it, and Karmada's metrics adapter: it can be read, and neither written nor watched. */
export const metricsApi = (
  source: MetricsSource,
  service: NonNullable<AggregatedApi['service']>,
): AggregatedApi => ({
  group: METRICS_GROUP,
  version: METRICS_VERSION,
  virtual: [NODES, PODS],
  handle: request => answer(source, request),
  service,
})

async function answer(source: MetricsSource, request: AggregatedRequest): Promise<ApiResponse> {
  const { info, query } = request
  const type = [NODES, PODS].find(({ plural }) => plural === info.resource)
  if (!type || info.subresource !== '') return pageNotFound()
  if (info.verb !== 'get' && info.verb !== 'list') throw methodNotAllowed()
  const { namespace, name } = info
  const labelSelector = checked(query.get('labelSelector') ?? '')
  const objects = await (type === NODES ? source.nodes : source.pods)({ namespace, name, labelSelector })
  const [first] = objects
  if (info.verb === 'get' && !first) throw notFound({ group: '', resource: type.plural }, name)
  const isTable = negotiate(header(request, 'accept')).shape === 'table'
  if (isTable) return { code: 200, body: { object: toTable(type, objects, { now: new Date(source.now()) }) } }
  if (info.verb === 'get') return { code: 200, body: { object: first as JsonObject } }
  const list = { apiVersion: `${METRICS_GROUP}/${METRICS_VERSION}`, kind: type.listKind, metadata: {} }
  const items = objects.map(({ apiVersion: _v, kind: _k, ...rest }) => rest)
  return { code: 200, body: { object: { ...list, items } } }
}

function checked(labelSelector: string): string {
  try {
    parseLabelSelector(labelSelector)
    return labelSelector
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message)
    throw error
  }
}
