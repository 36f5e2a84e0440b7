import { formatQuantity, parseQuantity, QuantityError } from '../../manifests/quantity.js'

/** A quantity as an exact number of billionths; undefined when the text is none. */
export const quantityValue = (text: string): bigint | undefined => readable(text)?.nano

/** Negative, zero or positive as `a` is less than, equal to or greater than `b`; an unreadable one counts as zero. */
export function compareQuantities(a: string, b: string): number {
  const difference = (quantityValue(a) ?? 0n) - (quantityValue(b) ?? 0n)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/**
 * The spelling Kubernetes stores: the suffix family of the text is kept, the number has no fraction and the suffix is as large
 * as it can be without one (`1000m` → `1`, `0.5` → `500m`, `1.5Gi` → `1536Mi`). Undefined when the text is no quantity.
 */
export function canonicalQuantity(text: string): string | undefined {
  const quantity = readable(text)
  return quantity && formatQuantity(quantity)
}

function readable(text: string) {
  try {
    return parseQuantity(text)
  } catch (error) {
    if (error instanceof QuantityError) return undefined
    throw error
  }
}
