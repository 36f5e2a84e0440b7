import type { Shown } from './expectation.js'

/** A list as a source shows it. */
export interface ShownList {
  /** Every change up to it is shown. Absent where an index does not say, and of a type that an instance does not serve. */
  readonly resourceVersion?: string
  readonly items: readonly ShownItem[]
}

/** An object as it is shown, and whether it is being deleted. */
export type ShownItem = Shown & { readonly deleting: boolean }
