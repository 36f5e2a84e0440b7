/** A query that cannot be read: answered 400 with this message. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
}
