import type { ApiObject } from '../api-client.js'
import { CONFIG_MAPS, DEPLOYMENTS } from './histories.js'
import { itemsOf, type Side } from './side.js'

export const BINDINGS = 'work.karmada.io/v1alpha2/resourcebindings'
export const WORKS = 'work.karmada.io/v1alpha1/works'

/** What a history has led to on one side, by the names of objects, without ids, times and versions. */
export type State = Readonly<Record<string, unknown>>

/** Fields that differ between two API servers for the same object. */
const OWN = new Set([
  ...[
    'uid',
    'resourceVersion',
    'creationTimestamp',
    'managedFields',
    'selfLink',
    'generation',
    'observedGeneration',
  ],
  ...['lastTransitionTime', 'lastUpdateTime', 'lastProbeTime', 'lastScheduledTime', 'lastHeartbeatTime'],
  'resourceTemplateGeneration',
])

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g

/** Replaces ids and times in texts, and leaves out the fields of `OWN`. */
export function normalised(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(UUID, '<uid>').replace(TIME, '<time>')
  if (Array.isArray(value)) return value.map(normalised)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !OWN.has(name))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, field]) => [name, normalised(field)]),
  )
}

type Fields = Record<string, unknown>

/** Types, statuses and reasons; messages name API servers and their words. */
export const conditionsOf = (status: unknown): readonly string[] =>
  ((status as { conditions?: Fields[] } | undefined)?.conditions ?? [])
    .map(({ type, status, reason }) => `${type}=${status} ${reason ?? ''}`)
    .sort()

/** What is shown of objects, by their names. */
export const byName = (objects: readonly ApiObject[], shown: (object: ApiObject) => unknown): Fields =>
  Object.fromEntries(
    objects
      .map(object => [object.metadata.name, normalised(shown(object))] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )

/**
 * Karmada writes the clusters of a Duplicated binding in no particular order, and tells of a binding without clusters now and then that
 * not all of it is applied. It says for which namespace replicas are required with the feature gate ResourceQuotaEstimate alone, which
 * the playground has on and the stack has off.
 */
export function bindingShown({ metadata, spec, status }: ApiObject): unknown {
  const { aggregatedStatus = [] } = (status ?? {}) as { aggregatedStatus?: Fields[] }
  const { clusters, replicaRequirements, ...rest } = spec as Fields & {
    clusters?: Fields[]
    replicaRequirements?: Fields
  }
  const { namespace: _, ...requirements } = replicaRequirements ?? {}
  const conditions = conditionsOf(status)
  return {
    labels: metadata.labels,
    annotations: metadata.annotations,
    finalizers: metadata.finalizers,
    spec: {
      ...rest,
      ...(replicaRequirements && { requirements }),
      clusters: clusters && sortedBy('name', clusters),
    },
    conditions: clusters ? conditions : conditions.filter(one => !one.startsWith('FullyApplied')),
    aggregated: sortedBy(
      'clusterName',
      aggregatedStatus.map(({ clusterName, applied, health, status }) => ({
        ...{ clusterName, applied, health, status },
      })),
    ),
  }
}

const sortedBy = (field: string, list: readonly Fields[]): readonly Fields[] =>
  [...list].sort((one, other) => (String(one[field]) < String(other[field]) ? -1 : 1))

/** What is compared of a Work. */
export const workShown = ({ metadata, spec, status }: ApiObject): unknown => ({
  labels: metadata.labels,
  annotations: metadata.annotations,
  finalizers: metadata.finalizers,
  spec,
  conditions: conditionsOf(status),
})

/** What is compared of a template. */
export const templateShown = ({ metadata, status }: ApiObject): unknown => ({
  labels: metadata.labels,
  annotations: metadata.annotations,
  status: statusShown(status),
})

/** What is compared of a member's object. */
export const memberShown = ({ metadata, spec, data, status }: ApiObject): unknown => ({
  labels: metadata.labels,
  annotations: metadata.annotations,
  spec,
  data,
  status: statusShown(status),
})

/** Conditions of a workload stand in an order of their own. */
const statusShown = (status: unknown): unknown =>
  status === undefined ? undefined : { ...(status as Fields), conditions: conditionsOf(status) }

/** Reads everything that a history in this namespace has led to. */
export async function stateOf({ control, members }: Side, namespace: string): Promise<State> {
  const state: Record<string, unknown> = {}
  const reads: Promise<void>[] = []
  const read = (key: string, work: Promise<unknown>): void => {
    reads.push(
      work.then(found => {
        state[key] = found
      }),
    )
  }
  read(
    'bindings',
    itemsOf(control, BINDINGS, namespace).then(items => byName(items, bindingShown)),
  )
  for (const type of [DEPLOYMENTS, CONFIG_MAPS])
    read(
      type,
      itemsOf(control, type, namespace).then(items => byName(items.filter(isOurs), templateShown)),
    )
  for (const [cluster, client] of members) {
    read(
      `works of ${cluster}`,
      itemsOf(control, WORKS, `karmada-es-${cluster}`).then(items =>
        byName(
          items.filter(work => isAbout(work, namespace)),
          workShown,
        ),
      ),
    )
    for (const type of [DEPLOYMENTS, CONFIG_MAPS])
      read(
        `${type} in ${cluster}`,
        itemsOf(client, type, namespace).then(items => byName(items.filter(isOurs), memberShown)),
      )
  }
  await Promise.all(reads)
  return Object.fromEntries(Object.entries(state).sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** How many bindings, Works and objects of members a state has. */
export function countsOf(state: State): { bindings: number; works: number; memberObjects: number } {
  const count = (isCounted: (key: string) => boolean) =>
    Object.entries(state)
      .filter(([key]) => isCounted(key))
      .reduce((sum, [, objects]) => sum + Object.keys(objects as object).length, 0)
  return {
    bindings: count(key => key === 'bindings'),
    works: count(key => key.startsWith('works of ')),
    memberObjects: count(key => key.includes(' in ')),
  }
}

/** Every namespace has this ConfigMap of its own. */
export const isOurs = ({ metadata }: ApiObject): boolean => metadata.name !== 'kube-root-ca.crt'

function isAbout({ spec }: ApiObject, namespace: string): boolean {
  const { workload } = spec as { workload?: { manifests?: readonly ApiObject[] } }
  return (workload?.manifests ?? []).some(({ metadata }) => metadata.namespace === namespace)
}
