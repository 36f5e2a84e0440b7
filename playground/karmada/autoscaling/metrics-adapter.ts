import { resourcePath } from '../../../manifests/kube.js'
import { type JsonObject, objectAt, stringAt } from '../../apimachinery/json.js'
import { METRICS_GROUP, METRICS_VERSION } from '../../metrics/measured.js'
import type { MetricsQuery, MetricsSource } from '../../metrics/metrics-api.js'
import type { MemberQueries } from './member-queries.js'

/** Names the member that metrics come from, as Karmada's metrics adapter does. */
export const QUERY_SOURCE = 'resource.karmada.io/query-from-cluster'

/** metrics.k8s.io of a control plane: what the nodes and pods of all members use. Pods of one name in two members are both in a list. */
export const metricsAdapter = (members: MemberQueries, now: () => number): MetricsSource => ({
  now,
  nodes: query => collect(members, 'nodes', query),
  pods: query => collect(members, 'pods', query),
})

async function collect(
  members: MemberQueries,
  resource: 'nodes' | 'pods',
  { namespace, name, labelSelector }: MetricsQuery,
): Promise<readonly JsonObject[]> {
  const type = { group: METRICS_GROUP, version: METRICS_VERSION, resource }
  const path = resourcePath(type, namespace === '' ? {} : { namespace })
  const query = labelSelector === '' ? {} : { query: { labelSelector } }
  const kind = resource === 'nodes' ? 'NodeMetrics' : 'PodMetrics'
  const answers = await members.ask<{ items: readonly JsonObject[] }>({ path, ...query })
  return answers.flatMap(({ cluster, answer }) =>
    answer.items
      .filter(item => name === '' || stringAt(item, 'metadata', 'name') === name)
      .map(item => ({ apiVersion: `${METRICS_GROUP}/${METRICS_VERSION}`, kind, ...from(cluster, item) })),
  )
}

const from = (cluster: string, item: JsonObject) => ({
  ...item,
  metadata: {
    ...objectAt(item, 'metadata'),
    annotations: { ...objectAt(item, 'metadata', 'annotations'), [QUERY_SOURCE]: cluster },
  },
})
