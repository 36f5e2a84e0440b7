/** The authenticated user behind a request. Nothing else of a request says who that is. */
export interface Caller {
  readonly user: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/**
 * Whether a text would be another one after it travelled in a header: servers remove blanks at its ends, and a line break begins
 * a header of its own.
 */
export const isChangedByHeader = (value: string): boolean => CHANGED_BY_HEADER.test(value)

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be in a header
const CHANGED_BY_HEADER = /^\s|\s$|[\0-\x1f\x7f]/
