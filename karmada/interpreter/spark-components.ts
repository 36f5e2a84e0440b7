import { formatQuantity, parseQuantity, QuantityError } from '../../manifests/quantity.js'
import type { Component } from '../objects/binding.js'
import type { PodSpec } from './workload.js'

interface SparkPod extends Pick<PodSpec, 'nodeSelector' | 'tolerations' | 'affinity' | 'priorityClassName'> {
  readonly cores?: number
  readonly memory?: string
  readonly memoryOverhead?: string
  readonly gpu?: { readonly name?: string; readonly quantity?: number }
}

interface SparkSpec {
  readonly type?: string
  readonly memoryOverheadFactor?: string | number
  readonly driver?: SparkPod
  readonly executor?: SparkPod & { readonly instances?: number }
  readonly dynamicAllocation?: {
    readonly enabled?: boolean
    readonly initialExecutors?: number
    readonly minExecutors?: number
  }
}

/** Suffixes of Java's memory options, as powers of 1024. */
const POWERS: Readonly<Record<string, number>> = {
  ...{ b: 0, k: 1, kb: 1, m: 2, mb: 2, g: 3, gb: 3, t: 4, tb: 4, p: 5, pb: 5 },
}
const SUFFIXES = ['B', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi']
/** Spark adds at least so much memory for what is outside of the heap. */
const LEAST_OVERHEAD = '384m'

interface Memory {
  readonly value: number
  readonly power: number
}

/** The driver and the executors of a SparkApplication. @throws QuantityError where an amount of memory cannot be read */
export function sparkComponents(spec: SparkSpec): readonly Component[] {
  const { type = '', driver = {}, executor = {} } = spec
  const isJvm = ['java', 'scala'].includes(type.toLowerCase())
  const factor = Number(spec.memoryOverheadFactor ?? (isJvm ? 0.1 : 0.4))
  return [
    { name: 'driver', replicas: 1, replicaRequirements: requirements(driver, factor) },
    { name: 'executor', replicas: executors(spec), replicaRequirements: requirements(executor, factor) },
  ]
}

function executors({ executor = {}, dynamicAllocation = {} }: SparkSpec): number {
  const { instances = 1 } = executor
  const { enabled, initialExecutors = 1, minExecutors = 1 } = dynamicAllocation
  return enabled ? Math.max(instances, initialExecutors, minExecutors) : instances
}

function requirements(pod: SparkPod, factor: number) {
  const { cores = 1, memory = '1g', memoryOverhead, gpu, nodeSelector, tolerations, affinity } = pod
  const hardNodeAffinity = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const nodeClaim = {
    ...(hardNodeAffinity !== undefined && { hardNodeAffinity }),
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations && { tolerations }),
  }
  const { name, quantity = 0 } = gpu ?? {}
  return {
    ...(Object.keys(nodeClaim).length > 0 && { nodeClaim }),
    resourceRequest: {
      cpu: formatQuantity(parseQuantity(cores)),
      memory: totalMemory(memory, memoryOverhead, factor),
      ...(name && quantity > 0 && { [name]: String(quantity) }),
    },
    ...(pod.priorityClassName && { priorityClassName: pod.priorityClassName }),
  }
}

/** Heap and overhead, in the smaller of their units. */
function totalMemory(memory: string, overhead: string | undefined, factor: number): string {
  const heap = parsed(memory)
  const least = parsed(LEAST_OVERHEAD)
  const power = Math.min(heap.power, overhead === undefined ? least.power : parsed(overhead).power)
  const extra =
    overhead === undefined
      ? Math.max(inUnits({ ...heap, value: heap.value * factor }, power), inUnits(least, power))
      : inUnits(parsed(overhead), power)
  const total = inUnits(heap, power) + extra
  return formatQuantity(parseQuantity(`${total.toFixed(6)}${SUFFIXES[power]}`))
}

const inUnits = ({ value, power }: Memory, of: number): number => value * 1024 ** (power - of)

function parsed(text: string): Memory {
  const [, value = '', suffix = ''] = /^(\d+\.?\d*)([a-z]*)$/.exec(text.toLowerCase()) ?? []
  const power = POWERS[suffix]
  if (value === '' || power === undefined)
    throw new QuantityError(`"${text}" is not an amount of memory as Java writes it, such as "512m" or "4g"`)
  return { value: Number(value), power }
}
