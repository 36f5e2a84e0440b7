/** Whether one resourceVersion is at or after another. What is no decimal number cannot be compared: no. */
export const isAtOrAfter = (a: string, b: string): boolean =>
  DECIMAL.test(a) && DECIMAL.test(b) && BigInt(a) >= BigInt(b)

const DECIMAL = /^\d{1,20}$/

/** The later of two, either of which may not be known. */
export const later = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || (b !== undefined && isAtOrAfter(b, a)) ? b : a

/** What must be seen of an object that was written, before whoever wrote it may read where it is looked for. */
export type Expectation =
  /** It at this version, or a later state of it. */
  | { readonly kind: 'present'; readonly resourceVersion: string }
  /**
   * Nothing, or another object of its name that was made later. `after`: a version at which it is known to have existed, or
   * to have been gone already.
   */
  | { readonly kind: 'gone'; readonly uid?: string; readonly after?: string }
  /** Nobody knows: the instance has to be asked what became of it. */
  | { readonly kind: 'unknown' }

/** An object as somebody shows it. */
export interface Shown {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
}

/** How far it is known that everything is shown. */
export interface Reach {
  /** Every change up to this version; absent where nobody says. */
  readonly resourceVersion?: string
  /** Whether everything that had happened when this became expected is shown by now, by all that is known of delays. */
  readonly isLongAgo?: boolean
  /** The uid of what was shown of the object at some time before. */
  readonly shownUid?: string
}

/**
 * Whether what is shown of an object is as new as expected, and will be from now on. Versions of one instance come from one
 * counter, so they tell an earlier object of a name from a later one; a uid alone does not. That nothing is shown proves
 * no deletion: the creation before it may not have been taken in yet, and would appear next.
 */
export function isMet(expected: Expectation, shown: Shown | undefined, reach: Reach): boolean {
  switch (expected.kind) {
    case 'present':
      return (
        reaches(reach, expected.resourceVersion) ||
        (shown !== undefined && isAtOrAfter(shown.resourceVersion, expected.resourceVersion))
      )
    case 'gone':
      if (!shown) {
        const wasShown = reach.shownUid !== undefined && reach.shownUid === expected.uid
        return wasShown || reach.isLongAgo === true || reaches(reach, expected.after)
      }
      return expected.uid !== shown.uid && isAfter(shown.resourceVersion, expected.after)
    case 'unknown':
      return false
  }
}

const isAfter = (a: string, b: string | undefined): boolean => b !== undefined && a !== b && isAtOrAfter(a, b)

/** Whether everything up to a version is shown. */
export const reaches = ({ resourceVersion }: Reach, version: string | undefined): boolean =>
  resourceVersion !== undefined && version !== undefined && isAtOrAfter(resourceVersion, version)

/** What is expected after two writes of which nobody knows which was first. */
export function besides(one: Expectation | undefined, other: Expectation): Expectation {
  if (one === undefined) return other
  if (one.kind !== 'present' || other.kind !== 'present') return { kind: 'unknown' }
  return isAtOrAfter(one.resourceVersion, other.resourceVersion) ? one : other
}
