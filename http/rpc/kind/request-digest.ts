import { createHash } from 'node:crypto'

/**
 * A text that is equal for equal parts: of a request without its resume token, and of what else makes its list another one. A token has it,
 * so that it goes on with no other list.
 * @param parts plain values; functions in them do not count
 */
export const requestDigest = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts, ordered)).digest('base64url').slice(0, 22)

/** Fields in the order of their names, and none that a gRPC client made up. */
function ordered(name: string, value: unknown): unknown {
  if (name === '$unknown' || name === 'resumeToken') return undefined
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
