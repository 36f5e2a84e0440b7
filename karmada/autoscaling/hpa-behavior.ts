import type { HpaSpec, ScalingRules, WholeRules } from './hpa-spec.js'

/** What a controller remembers of one autoscaler; lost when it restarts, as in Kubernetes. Times in milliseconds since the epoch. */
export interface HpaMemory {
  /** What the metrics asked for. */
  readonly recommendations: readonly { readonly replicas: number; readonly time: number }[]
  /** How many replicas came, and went. */
  readonly ups: readonly Scaled[]
  readonly downs: readonly Scaled[]
}

interface Scaled {
  readonly change: number
  readonly time: number
}

export const NO_MEMORY: HpaMemory = { recommendations: [], ups: [], downs: [] }

/** Replicas that are not there yet, and the conditions that say why there are so many: reason and message. */
export interface Normalized {
  readonly replicas: number
  readonly able: readonly [reason: string, message: string]
  readonly limited: readonly [isLimited: boolean, reason: string, message: string]
  readonly memory: HpaMemory
}

/** The flag `--horizontal-pod-autoscaler-downscale-stabilization`, and the longest window of rules, seconds. */
const [DOWNSCALE_WINDOW, LONGEST_WINDOW] = [300, 3_600]

const READY = ['ReadyForNewScale', 'recommended size matches current size'] as const
const WITHIN = ['DesiredWithinRange', 'the desired count is within the acceptable range'] as const
const TOO_FAST_UP = [
  'ScaleUpLimit',
  'the desired replica count is increasing faster than the maximum scale rate',
] as const
const TOO_FAST_DOWN = [
  'ScaleDownLimit',
  'the desired replica count is decreasing faster than the maximum scale rate',
] as const
const TOO_MANY = [
  'TooManyReplicas',
  'the desired replica count is more than the maximum replica count',
] as const
const TOO_FEW = [
  'TooFewReplicas',
  'the desired replica count is less than the minimum replica count',
] as const
const HIGHER_BEFORE = [
  'ScaleDownStabilized',
  'recent recommendations were higher than current one, applying the highest recent recommendation',
] as const
const LOWER_BEFORE = [
  'ScaleUpStabilized',
  'recent recommendations were lower than current one, applying the lowest recent recommendation',
] as const

/** What becomes of the replicas that metrics ask for: recent recommendations, rates and limits hold them back. */
export function normalized(
  { minReplicas = 1, maxReplicas, behavior }: HpaSpec,
  current: number,
  desired: number,
  memory: HpaMemory,
  now: number,
): Normalized {
  const stable = behavior
    ? stabilized(behavior, current, desired, memory, now)
    : highestSince(memory, now - DOWNSCALE_WINDOW * 1_000, desired)
  const held = behavior && desired >= current ? LOWER_BEFORE : HIGHER_BEFORE
  const limit = behavior
    ? withinRates(behavior, current, stable, { minReplicas, maxReplicas }, memory, now)
    : withinLimits(current, stable, minReplicas, maxReplicas)
  const recent = memory.recommendations.filter(({ time }) => time > now - LONGEST_WINDOW * 1_000)
  return {
    replicas: limit.replicas,
    able: stable === desired ? READY : held,
    limited: [limit.replicas !== stable, ...limit.why],
    memory: { ...memory, recommendations: [...recent, { replicas: desired, time: now }] },
  }
}

/** The memory of an autoscaler that has scaled. */
export function afterScaling(memory: HpaMemory, before: number, after: number, now: number): HpaMemory {
  const recent = (events: readonly Scaled[]) =>
    events.filter(({ time }) => time > now - LONGEST_WINDOW * 1_000)
  const [ups, downs] = [recent(memory.ups), recent(memory.downs)]
  return after > before
    ? { ...memory, downs, ups: [...ups, { change: after - before, time: now }] }
    : { ...memory, ups, downs: [...downs, { change: before - after, time: now }] }
}

const highestSince = ({ recommendations }: HpaMemory, cutoff: number, desired: number): number =>
  Math.max(desired, ...recommendations.filter(({ time }) => time >= cutoff).map(({ replicas }) => replicas))

function stabilized(
  { scaleUp, scaleDown }: NonNullable<HpaSpec['behavior']>,
  current: number,
  desired: number,
  { recommendations }: HpaMemory,
  now: number,
): number {
  const within = (seconds: number) =>
    recommendations.filter(({ time }) => time > now - seconds * 1_000).map(({ replicas }) => replicas)
  const up = Math.min(desired, ...within(scaleUp?.stabilizationWindowSeconds ?? 0))
  const down = Math.max(desired, ...within(scaleDown?.stabilizationWindowSeconds ?? DOWNSCALE_WINDOW))
  return Math.min(Math.max(current, up), down)
}

interface Limit {
  readonly replicas: number
  readonly why: readonly [string, string]
}

/** Without rules: at most twice as many at once, or four. */
function withinLimits(current: number, desired: number, least: number, most: number): Limit {
  const fast = Math.max(2 * current, 4)
  const [highest, why] = most > fast ? [fast, TOO_FAST_UP] : [most, TOO_MANY]
  if (desired < least) return { replicas: least, why: TOO_FEW }
  return desired > highest ? { replicas: highest, why } : { replicas: desired, why: WITHIN }
}

function withinRates(
  { scaleUp, scaleDown }: NonNullable<HpaSpec['behavior']>,
  current: number,
  desired: number,
  { minReplicas, maxReplicas }: { readonly minReplicas: number; readonly maxReplicas: number },
  memory: HpaMemory,
  now: number,
): Limit {
  if (desired > current) {
    const fastest = Math.max(current, rateLimit(1, scaleUp as WholeRules, current, memory, now))
    const [highest, why] = maxReplicas > fastest ? [fastest, TOO_FAST_UP] : [maxReplicas, TOO_MANY]
    if (desired > highest) return { replicas: highest, why }
  } else if (desired < current) {
    const fastest = Math.min(current, rateLimit(-1, scaleDown as WholeRules, current, memory, now))
    const [lowest, why] = minReplicas < fastest ? [fastest, TOO_FAST_DOWN] : [minReplicas, TOO_FEW]
    if (desired < lowest) return { replicas: lowest, why }
  }
  return { replicas: desired, why: WITHIN }
}

/** How far the policies of some rules let the replicas go. @param direction 1 for up, -1 for down */
function rateLimit(
  direction: 1 | -1,
  { policies = [], selectPolicy }: ScalingRules,
  current: number,
  { ups, downs }: HpaMemory,
  now: number,
): number {
  if (selectPolicy === 'Disabled') return current
  const proposals = policies.map(({ type, value, periodSeconds }) => {
    const recent = (events: readonly Scaled[]) =>
      events
        .filter(({ time }) => time > now - periodSeconds * 1_000)
        .reduce((sum, { change }) => sum + change, 0)
    const atStart = current - recent(ups) + recent(downs)
    if (type === 'Pods') return atStart + direction * value
    const share = atStart * (1 + (direction * value) / 100)
    return direction === 1 ? Math.ceil(share) : Math.trunc(share)
  })
  // The largest change is the highest number on the way up, and the lowest on the way down.
  return (selectPolicy === 'Min') === (direction === 1) ? Math.min(...proposals) : Math.max(...proposals)
}
