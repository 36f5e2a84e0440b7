import type { ResourceModel, ResourceRange } from '../../karmada/objects/cluster.js'
import {
  formatQuantity,
  parseQuantity,
  type Quantity,
  subtractQuantities,
  wholeUnits,
  ZERO,
} from '../../manifests/quantity.js'
import { at, isArray, type JsonObject, listAt, stringAt } from '../apimachinery/json.js'

/** 2^63-1, "no upper end". */
const MAX = '9223372036854775807'
/** The lower ends of the nine default grades; each grade ends where the next begins. */
const CPU_STEPS = ['0', '1', '2', '4', '8', '16', '32', '64', '128'] as const
const MEMORY_STEPS = ['0', '4Gi', '16Gi', '32Gi', '64Gi', '128Gi', '256Gi', '512Gi', '1Ti'] as const

/** What Karmada writes into `spec.resourceModels` of a cluster that has none (gate CustomizedClusterResourceModeling). */
export const defaultResourceModels: readonly ResourceModel[] = CPU_STEPS.map((cpu, grade) => ({
  grade,
  ranges: [
    { name: 'cpu', min: cpu, max: CPU_STEPS[grade + 1] ?? MAX },
    { name: 'memory', min: MEMORY_STEPS[grade] ?? '0', max: MEMORY_STEPS[grade + 1] ?? MAX },
  ],
}))

/** Grades in order, the first from zero and the last without end, as Karmada normalizes them on every write. */
export function standardizeResourceModels(models: readonly ResourceModel[]): readonly ResourceModel[] {
  const sorted = [...models].sort((one, other) => one.grade - other.grade)
  return sorted.map((model, index) => ({
    ...model,
    ranges: mapRanges(model, range => ({
      ...range,
      ...(index === 0 && { min: '0' }),
      ...(index === sorted.length - 1 && { max: MAX }),
    })),
  }))
}

/** Says what is wrong with a cluster's models, or nothing. They are complete, ordered and without gaps or overlaps. */
export function resourceModelsComplaint(models: readonly ResourceModel[]): string | undefined {
  for (const [index, model] of models.entries()) {
    const before = models[index - 1]
    if (before && before.grade === model.grade) return 'The grade of each models should not be the same'
    if (before && rangesOf(before).length !== rangesOf(model).length)
      return 'The number of resource types should be the same'
    for (const [position, range] of rangesOf(model).entries()) {
      const complaint = rangeComplaint(
        range,
        before && rangesOf(before)[position],
        index === models.length - 1,
      )
      if (complaint) return complaint
    }
  }
  return undefined
}

const rangesOf = ({ ranges }: ResourceModel): readonly ResourceRange[] => ranges ?? []

/** None stay null. */
const mapRanges = ({ ranges }: ResourceModel, change: (range: ResourceRange) => ResourceRange) =>
  ranges?.map(change) ?? null

function rangeComplaint(
  range: ResourceRange,
  below: ResourceRange | undefined,
  last: boolean,
): string | undefined {
  const min = parseQuantity(range.min).nano
  const max = parseQuantity(range.max)
  if (max.nano <= min) return 'The max value of each resource must be greater than the min value'
  if (!below) {
    if (min !== 0n) return 'The min value of each resource in the first model should be 0'
  } else {
    if (below.name !== range.name) return 'The resource types of each models should be the same'
    if (parseQuantity(below.max).nano !== min)
      return 'Model intervals for resources must be contiguous and non-overlapping'
  }
  if (last && wholeUnits(max) !== BigInt(MAX))
    return 'The max value of each resource in the last model should be MaxInt64'
  return undefined
}

/** What one node offers and what its pods already took. */
export interface NodeLoad {
  readonly allocatable: Readonly<Record<string, string>>
  /** Absent when no pod runs on the node. */
  readonly taken?: Readonly<Record<string, string>>
}

/**
 * Counts nodes by the grade of what is free on them. The smallest grade of a node's resources is the node's. A node whose
 * pod slots are used up ends the count, later nodes included: so does Karmada.
 */
export function allocatableModelings(
  models: readonly ResourceModel[],
  nodes: readonly NodeLoad[],
): { grade: number; count: number }[] {
  const counts = models.map(({ grade }) => ({ grade, count: 0 }))
  for (const node of nodes) {
    const free = freeResources(node)
    if (!free) break
    const found = counts[gradeIndex(models, free)]
    if (found) found.count++
  }
  return counts
}

function freeResources({ allocatable, taken }: NodeLoad): ReadonlyMap<string, Quantity> | undefined {
  const free = new Map(Object.entries(allocatable).map(([name, value]) => [name, parseQuantity(value)]))
  if (!taken) return free
  const slots = wholeUnits(free.get('pods') ?? ZERO) - wholeUnits(parseQuantity(taken.pods ?? '0'))
  if (slots <= 0n) return undefined
  for (const [name, value] of Object.entries(taken)) {
    const has = free.get(name)
    if (has) free.set(name, subtractQuantities(has, parseQuantity(value)))
  }
  return free
}

function gradeIndex(models: readonly ResourceModel[], free: ReadonlyMap<string, Quantity>): number {
  const names = models[0]?.ranges?.map(({ name }) => name) ?? []
  const indexes = names.map((name, position) => {
    const has = (free.get(name) ?? ZERO).nano
    return models.findLastIndex(model => parseQuantity(model.ranges?.[position]?.min ?? '0').nano <= has)
  })
  return Math.min(...indexes)
}

/** Writes a range in canonical quantities (`1024Gi` → `1Ti`). */
export const canonicalModels = (models: readonly ResourceModel[]): readonly ResourceModel[] =>
  models.map(model => ({
    ...model,
    ranges: mapRanges(model, ({ name, min, max }) => ({
      name,
      min: formatQuantity(parseQuantity(min)),
      max: formatQuantity(parseQuantity(max)),
    })),
  }))

/** The models of a Cluster as Go reads them: what is absent is zero, empty, or null for ranges. */
export const modelsOf = (object: JsonObject): readonly ResourceModel[] =>
  listAt(object, 'spec', 'resourceModels').map(model => ({
    grade: Number(at(model, 'grade') ?? 0),
    ranges: isArray(at(model, 'ranges'))
      ? listAt(model, 'ranges').map(range => ({
          name: stringAt(range, 'name'),
          min: String(at(range, 'min') ?? '0'),
          max: String(at(range, 'max') ?? '0'),
        }))
      : null,
  }))

/** Whether the ranges of models are quantities: what the schema let through but cannot be computed with is refused. */
export function wellFormed(models: readonly ResourceModel[]): boolean {
  try {
    canonicalModels(models)
    return true
  } catch {
    return false
  }
}
