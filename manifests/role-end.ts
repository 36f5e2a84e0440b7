/** A role binding, of an instance or of a workspace, that may have an end. */
interface MayEnd {
  readonly spec: { readonly expiresAt?: string }
}

/**
 * When a binding ends, in milliseconds since 1970; undefined for one that does not. One whose time cannot be read is over: a right is not
 * given for ever because its end was misspelt.
 */
export function endOf({ spec: { expiresAt } }: MayEnd): number | undefined {
  if (expiresAt === undefined) return undefined
  const at = Date.parse(expiresAt)
  return Number.isNaN(at) ? Number.NEGATIVE_INFINITY : at
}

/** Whether a binding is over. @param now in milliseconds since 1970 */
export const isOver = (binding: MayEnd, now: number): boolean => {
  const end = endOf(binding)
  return end !== undefined && end <= now
}
