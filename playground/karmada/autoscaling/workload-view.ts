import { bindingOf, type FederatedHpa, TargetError } from '../../../karmada/autoscaling/federated-hpa.js'
import type { HpaView } from '../../../karmada/autoscaling/hpa.js'
import type { PodMetrics } from '../../../karmada/autoscaling/pod-metrics.js'
import type { ScaledPod } from '../../../karmada/autoscaling/replica-calculator.js'
import type { Binding } from '../../../karmada/objects/resource-binding.js'
import {
  type GroupVersionResource,
  type KubeList,
  type KubeObject,
  resourcePath,
} from '../../../manifests/kube.js'
import { isNotFound } from '../../../manifests/status-error.js'
import { METRICS_GROUP, METRICS_VERSION } from '../../metrics/measured.js'
import { PODS } from '../../objects/core-types.js'
import type { CronScalingOptions } from './cron-scaling-controller.js'
import type { MemberQueries } from './member-queries.js'
import { missing } from './scale-target.js'

/** What the FederatedHPA controller needs. */
export interface FederatedHpaOptions extends CronScalingOptions {
  readonly members: MemberQueries
}

interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number }
  readonly status?: { readonly replicas?: number; readonly selector?: string }
}

const noScale = (message: string) =>
  new TargetError('FailedGetScale', 'FailedGetScale', "get the target's current scale", message)
const noTarget = (message: string) =>
  new TargetError(
    'FailedGetScaleTargetRef',
    'FailedGetScaleTargetRef',
    'get the target reference object',
    message,
  )
const noClusters = (message: string) =>
  new TargetError(
    'FailedGetTargetClusters',
    'FailedGetTargetClusters',
    'get the target clusters from binding',
    message,
  )

/**
 * What a FederatedHPA looks at: its template, the template's parts in the ready members that it was scheduled to, and their pods.
 * @throws TargetError
 */
export async function viewOf(
  { metadata, spec }: FederatedHpa,
  { control, observed, types, members, now }: FederatedHpaOptions,
): Promise<Omit<HpaView, 'memory'>> {
  const { namespace = '' } = metadata
  const { apiVersion = '', kind, name } = spec.scaleTargetRef
  const type = await types.find(apiVersion, kind)
  if (!type) throw noTarget(`no matches for kind "${kind}" in version "${apiVersion}"`)
  const template = await get<KubeObject>(control, resourcePath(type, { namespace, name }))
  if (!template) throw noTarget(missing(kind, apiVersion, name).message)
  const all = observed.bindings.filter(binding => binding.metadata.namespace === namespace)
  const clusters = clustersOf(bindingOf(template, spec.scaleTargetRef, all))
  const place = resourcePath(type, { namespace, name, subresource: 'scale' })
  const scales = await members.ask<Scale>({ path: place }, cluster => clusters.has(cluster.metadata.name))
  const scaled = scales.reduce((sum, { answer }) => sum + (answer.spec?.replicas ?? 0), 0)
  if (scaled === 0)
    throw noScale('failed to get replicas in any of clusters, possibly because all of clusters are not ready')
  const labelSelector = scales.map(({ answer }) => answer.status?.selector).find(Boolean) ?? ''
  const pods = await members.ask<KubeList<ScaledPod>>(
    { path: resourcePath(PODS, { namespace }), query: { labelSelector } },
    cluster => scales.some(one => one.cluster === cluster.metadata.name),
  )
  const own = await get<Scale>(control, place)
  const replicas = own?.spec?.replicas ?? 0
  return {
    replicas,
    scaled,
    calibration: scaled / replicas,
    pods: pods.flatMap(({ answer }) => answer.items),
    metrics: await metricsOf(control, namespace, labelSelector),
    now: now(),
  }
}

function clustersOf({ spec }: Binding): ReadonlySet<string> {
  const clusters = spec.clusters ?? []
  if (clusters.length === 0) throw noClusters('binding has no schedulable clusters')
  return new Set(clusters.map(({ name }) => name))
}

type Control = FederatedHpaOptions['control']

async function metricsOf(
  control: Control,
  namespace: string,
  labelSelector: string,
): Promise<HpaView['metrics']> {
  const type: GroupVersionResource = { group: METRICS_GROUP, version: METRICS_VERSION, resource: 'pods' }
  const path = resourcePath(type, { namespace })
  try {
    const query = { labelSelector }
    return (await control.request<KubeList<PodMetrics>>({ method: 'GET', path, query })).items
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) }
  }
}

async function get<T>(control: Control, path: string): Promise<T | undefined> {
  try {
    return await control.request<T>({ method: 'GET', path })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
