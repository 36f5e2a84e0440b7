/**
 * A value as Go and we can be compared: without what Go's typed objects add (null, empty lists and objects, zeros, '' and
 * false, which mean the same as absent), keys in order, and without the time of conditions that are new.
 */
export function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .filter(([key]) => key !== 'lastProbeTime' && key !== 'lastTransitionTime')
    .map(([key, part]) => [key, comparable(part)] as const)
    .filter(([, part]) => !isNothing(part))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries)
}

const isNothing = (part: unknown): boolean =>
  part === undefined ||
  part === null ||
  part === 0 ||
  part === '' ||
  part === false ||
  (typeof part === 'object' && Object.keys(part).length === 0)
