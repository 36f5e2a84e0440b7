import type { Resource } from '../interpreter/workload.js'
import type { StatePreservation } from '../objects/propagation-policy.js'
import type { Binding } from '../objects/resource-binding.js'

/** What is to be kept of an application's status is not there, yet. Karmada tries the eviction again. */
export class StatePreservationError extends Error {
  override readonly name = 'StatePreservationError'
}

type Labels = Readonly<Record<string, string>>

/**
 * What is kept of an application that leaves a cluster, as labels by the names that its policy gives (Karmada's feature gate
 * StatefulFailoverInjection). Paths have fields and indices: `{.a.b}`, `{.a['b']}`, `{.a[0]}`.
 * @returns undefined where the policy keeps nothing
 * @throws StatePreservationError
 */
export function preservedState(
  { status }: Binding,
  cluster: string,
  preservation: StatePreservation | undefined,
): Labels | undefined {
  const rules = preservation?.rules ?? []
  if (rules.length === 0) return undefined
  const reported = status?.aggregatedStatus?.find(({ clusterName }) => clusterName === cluster)?.status
  if (!reported)
    throw new StatePreservationError(
      `the application status has not yet been collected from Cluster(${cluster})`,
    )
  return Object.fromEntries(
    rules.map(({ aliasLabelName, jsonPath }) => [aliasLabelName, textAt(reported, jsonPath)]),
  )
}

const PATH = /^\{?\$?((?:\.[\w-]+|\['[^']*'\]|\[\d+\])+)\}?$/
const STEP = /\.([\w-]+)|\['([^']*)'\]|\[(\d+)\]/g

function textAt(status: unknown, path: string): string {
  const steps = PATH.exec(path)?.[1]
  if (steps === undefined) throw new StatePreservationError(`the path ${path} is not understood`)
  let value = status
  for (const [, field, quoted, index] of steps.matchAll(STEP)) {
    const key = field ?? quoted ?? index ?? ''
    const isInside = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    if (!isInside)
      throw new StatePreservationError(`failed to execute jsonpath "${path}": ${key} is not found`)
    value = (value as Readonly<Record<string, unknown>>)[key]
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * The manifest for the one cluster that an application moved to, with what was kept of it. Karmada keeps state only where
 * the old cluster is left at once, and the labels only as long as the binding has the eviction's task.
 * @param cluster where the manifest goes
 * @param targets how many clusters the binding goes to
 */
export function withPreservedState<T extends Resource>(
  manifest: T,
  { spec }: Binding,
  cluster: string,
  targets: number,
): T {
  const task = spec.gracefulEvictionTasks?.at(-1)
  const isMove = targets <= 1 && task?.purgeMode === 'Directly'
  if (!isMove || !task.preservedLabelState || task.clustersBeforeFailover?.includes(cluster)) return manifest
  const { metadata } = manifest
  return {
    ...manifest,
    metadata: { ...metadata, labels: { ...metadata.labels, ...task.preservedLabelState } },
  }
}
