import { Failure } from '../../errors/failure.js'
import { toFailure } from '../../errors/to-failure.js'

/**
 * Prefixes an API server's field paths with the request's field in which the caller sent the object.
 * @param elsewhere fields of the object that the request has apart, with their names there
 */
export async function inField<T>(
  field: string,
  written: Promise<T>,
  elsewhere: Readonly<Record<string, string>> = {},
): Promise<T> {
  try {
    return await written
  } catch (error) {
    const failure = toFailure(error)
    const { violations } = failure.details
    if (!violations) throw error
    throw new Failure(failure.code, failure.message, {
      ...failure.details,
      violations: violations.map(violation => ({
        ...violation,
        field: elsewhere[violation.field] ?? (violation.field ? `${field}.${violation.field}` : field),
      })),
    })
  }
}

/** The same where a request holds several objects: the message, too, begins with the field of the one that is wrong. */
export async function inFieldOf<T>(field: string, written: Promise<T>): Promise<T> {
  try {
    return await inField(field, written)
  } catch (error) {
    const { code, message, details } = toFailure(error)
    throw new Failure(code, `${field}: ${message}`, details)
  }
}
