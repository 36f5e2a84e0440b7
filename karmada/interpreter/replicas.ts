import { formatQuantity, parseQuantity, type Quantity, wholeUnits } from '../../manifests/quantity.js'
import type { ReplicaRequirements } from '../objects/binding.js'
import { milliUnits } from '../scheduling/milli-units.js'
import { isScheduledResource } from '../scheduling/node-models.js'
import {
  type Container,
  type PodSpec,
  podSpecOf,
  type Resource,
  type ResourceList,
  typeOf,
} from './workload.js'

/** A template's replicas, and what one of them asks for where it asks for anything. */
export interface Replicas {
  readonly replicas: number
  readonly requirements?: ReplicaRequirements
}

interface ReplicaSpec {
  readonly replicas?: number
  readonly parallelism?: number
  readonly completions?: number
}

const counts: Readonly<Record<string, (spec: ReplicaSpec) => number>> = {
  'apps/v1 Deployment': ({ replicas = 0 }) => replicas,
  'apps/v1 ReplicaSet': ({ replicas = 0 }) => replicas,
  'apps/v1 StatefulSet': ({ replicas = 0 }) => replicas,
  'batch/v1 Job': ({ parallelism = 0, completions = parallelism }) => Math.min(parallelism, completions),
  'v1 Pod': () => 1,
}

/** How many replicas a template has; undefined for kinds that Karmada does not divide (`GetReplicas`). */
export function replicasOf(resource: Resource): Replicas | undefined {
  const count = counts[typeOf(resource)]
  if (!count) return
  const requirements = requirementsOf(podSpecOf(resource) ?? {})
  return { replicas: count((resource.spec ?? {}) as ReplicaSpec), ...(requirements && { requirements }) }
}

const fields: Readonly<Record<string, string>> = {
  'apps/v1 Deployment': 'replicas',
  'apps/v1 ReplicaSet': 'replicas',
  'apps/v1 StatefulSet': 'replicas',
  'batch/v1 Job': 'parallelism',
}

/** The template with another number of replicas (`ReviseReplica`); what does not say how many it has is left as it is. */
export function withReplicas<T extends Resource>(resource: T, replicas: number): T {
  const field = fields[typeOf(resource)]
  if (field === undefined || resource.spec?.[field] === undefined) return resource
  return { ...resource, spec: { ...resource.spec, [field]: replicas } }
}

/** What one pod asks for; undefined where it asks for nothing. */
export function requirementsOf(pod: PodSpec): ReplicaRequirements | undefined {
  const { nodeSelector, tolerations = [], affinity } = pod
  const hardNodeAffinity = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const nodeClaim = {
    ...(hardNodeAffinity !== undefined && { hardNodeAffinity }),
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations.length > 0 && { tolerations }),
  }
  const resourceRequest = requestOf(pod)
  const [claims, asks] = [Object.keys(nodeClaim).length > 0, Object.keys(resourceRequest).length > 0]
  if (!claims && !asks) return
  return { ...(claims && { nodeClaim }), ...(asks && { resourceRequest }) }
}

/**
 * What one pod asks for: its containers together, or an init container where that asks for more. A limit without a request is
 * a request.
 */
function requestOf({ containers = [], initContainers = [], overhead = {} }: PodSpec): ResourceList {
  const sums = new Map<string, bigint>()
  const add = (list: ResourceList, combine: (before: bigint, amount: bigint) => bigint) => {
    for (const [name, text] of Object.entries(list))
      if (name === 'pods' || isScheduledResource(name))
        sums.set(name, combine(sums.get(name) ?? 0n, amountOf(name, parseQuantity(text))))
  }
  const sum = (before: bigint, amount: bigint) => before + amount
  for (const container of containers) add(requestsOf(container), sum)
  for (const container of initContainers) add(requestsOf(container), larger)
  add(overhead, sum)
  const asked = [...sums].filter(([, amount]) => amount > 0n)
  return Object.fromEntries(asked.map(([name, amount]) => [name, formatted(name, amount)]))
}

const larger = (a: bigint, b: bigint): bigint => {
  if (a < b) return b
  return a
}

const requestsOf = ({ resources: { requests = {}, limits = {} } = {} }: Container): ResourceList => ({
  ...limits,
  ...requests,
})

/** CPU in thousandths, everything else in whole units, as Karmada's `util.Resource` counts. */
const amountOf = (name: string, quantity: Quantity): bigint =>
  name === 'cpu' ? milliUnits(quantity) : wholeUnits(quantity)

function formatted(name: string, amount: bigint): string {
  if (name === 'cpu') return formatQuantity({ nano: amount * 1_000_000n, format: 'DecimalSI' })
  const isBytes = name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-')
  return formatQuantity({ nano: amount * 1_000_000_000n, format: isBytes ? 'BinarySI' : 'DecimalSI' })
}
