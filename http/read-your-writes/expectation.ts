/** Whether one resourceVersion is at or after another. Anything but decimal numbers cannot be compared, so it is not. */
export const isAtOrAfter = (a: string, b: string): boolean =>
  DECIMAL.test(a) && DECIMAL.test(b) && BigInt(a) >= BigInt(b)

const DECIMAL = /^\d{1,20}$/

/** The later of two versions, either of which may not be known. */
export const later = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || (b !== undefined && isAtOrAfter(b, a)) ? b : a

/** What the index must show of an object before the caller who wrote it may read it there. */
export type Expectation =
  /** The object at this version, or at a later one. */
  | { readonly kind: 'present'; readonly resourceVersion: string }
  /**
   * Nothing, or another object of its name that was made later. `after`: a version at which it is known to have existed, or
   * to have been gone already.
   */
  | { readonly kind: 'gone'; readonly uid?: string; readonly after?: string }
  /** Not known: it has to be read from the instance. */
  | { readonly kind: 'unknown' }

/** An object as an index or an instance shows it. */
export interface Shown {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
}

/** How much of what happened an index shows. */
export interface Progress {
  /** It shows every change up to this version; absent where it does not say. */
  readonly resourceVersion?: string
  /** By all that is known of its delays, it shows everything that had happened when the object was written. */
  readonly hasCaughtUp?: boolean
  /** The uid under which it has shown the object before. */
  readonly shownUid?: string
}

/**
 * Whether an index shows an object as new as expected, and will from now on. Versions of one instance come from one counter,
 * so they distinguish an earlier object of a name from a later one; a uid alone does not. That an object is absent proves
 * no deletion: its creation may not have been taken in yet, and would appear next.
 */
export function isMet(expected: Expectation, shown: Shown | undefined, progress: Progress): boolean {
  switch (expected.kind) {
    case 'present':
      return (
        hasReached(progress, expected.resourceVersion) ||
        (shown !== undefined && isAtOrAfter(shown.resourceVersion, expected.resourceVersion))
      )
    case 'gone':
      if (!shown) {
        const wasShown = progress.shownUid !== undefined && progress.shownUid === expected.uid
        return wasShown || progress.hasCaughtUp === true || hasReached(progress, expected.after)
      }
      return expected.uid !== shown.uid && isAfter(shown.resourceVersion, expected.after)
    case 'unknown':
      return false
  }
}

const isAfter = (a: string, b: string | undefined): boolean => b !== undefined && a !== b && isAtOrAfter(a, b)

/** Whether an index shows everything up to a version. */
export const hasReached = ({ resourceVersion }: Progress, version: string | undefined): boolean =>
  resourceVersion !== undefined && version !== undefined && isAtOrAfter(resourceVersion, version)

/** What is expected after two writes of which it is not known which was first. */
export function combined(one: Expectation | undefined, other: Expectation): Expectation {
  if (one === undefined) return other
  if (one.kind !== 'present' || other.kind !== 'present') return { kind: 'unknown' }
  return isAtOrAfter(one.resourceVersion, other.resourceVersion) ? one : other
}
