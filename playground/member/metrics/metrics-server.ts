import type { KubeObject } from '../../../manifests/kube.js'
import type { JsonObject } from '../../apimachinery/json.js'
import { parseLabelSelector } from '../../apimachinery/label-selector.js'
import { METRICS_GROUP, METRICS_VERSION, usageList } from '../../metrics/measured.js'
import type { MetricsQuery, MetricsSource } from '../../metrics/metrics-api.js'
import { timestamp } from '../../objects/timestamp.js'
import type { World } from '../controllers/plan.js'
import { type NodeUsage, nodeUsages, type PodUsage, podUsages } from './usage.js'

/** Over which time usage is said to be measured, seconds. */
export const WINDOW_SECONDS = 10

/** metrics-server of a member: what its nodes and pods use at the moment. */
export const metricsServer = (world: () => Promise<World>, now: () => number): MetricsSource => ({
  now,
  async nodes(query) {
    const seen = await world()
    return nodeUsages(seen, podUsages(seen))
      .filter(({ node }) => isMeant(node, query))
      .map(usage => nodeMetrics(usage, seen.now))
  },
  async pods(query) {
    return podMetricsOf(await world(), pod => isMeant(pod, query))
  },
})

/** PodMetrics of some pods. */
export const podMetricsOf = (world: World, isMeant: (pod: KubeObject) => boolean): readonly JsonObject[] =>
  podUsages(world)
    .filter(({ pod }) => isMeant(pod))
    .map(usage => podMetrics(usage, world.now))

function isMeant({ metadata }: KubeObject, { namespace, name, labelSelector }: MetricsQuery): boolean {
  if (name !== '' && metadata.name !== name) return false
  if (namespace !== '' && metadata.namespace !== namespace) return false
  return parseLabelSelector(labelSelector).matches(metadata.labels ?? {})
}

const nodeMetrics = ({ node, usage }: NodeUsage, now: number): JsonObject => ({
  ...head('NodeMetrics', node, now),
  usage: usageList(usage),
})

const podMetrics = ({ pod, containers }: PodUsage, now: number): JsonObject => ({
  ...head('PodMetrics', pod, now),
  containers: containers.map(({ name, ...usage }) => ({ name, usage: usageList(usage) })),
})

function head(kind: string, { metadata }: KubeObject, now: number): JsonObject {
  const { name, namespace, labels } = metadata
  const time = timestamp(now)
  return {
    kind,
    apiVersion: `${METRICS_GROUP}/${METRICS_VERSION}`,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      creationTimestamp: time,
      ...(labels && { labels }),
    },
    timestamp: time,
    window: `${WINDOW_SECONDS}s`,
  }
}
