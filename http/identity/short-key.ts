import { hash } from 'node:crypto'

/** Characters of a key that stays as it is. */
const LONGEST = 512

/**
 * A text of callers as a key of a Map: itself, or its SHA-256 where it is long. V8 tells texts of more than 16,383 characters apart by their length alone
 * before it compares them: among 2,000 keys of a caller with a thousand groups each look took 60 ms, and all others waited.
 */
export const shortKey = (text: string): string =>
  text.length <= LONGEST ? text : hash('sha256', text, 'base64')
