/**
 * The JSON merge patch (RFC 7396) that turns one document into the other; undefined when they are equal. Arrays are
 * replaced whole, as the RFC knows no other way.
 */
export function mergePatchBetween(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after))
    return JSON.stringify(before) === JSON.stringify(after) ? undefined : after
  const patch: Record<string, unknown> = {}
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!(key in after)) patch[key] = null
    else if (!(key in before)) patch[key] = after[key]
    else {
      const change = mergePatchBetween(before[key], after[key])
      if (change !== undefined) patch[key] = change
    }
  }
  return Object.keys(patch).length > 0 ? patch : undefined
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
