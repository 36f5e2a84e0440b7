import type { FieldViolation } from '../errors/failure.js'

/**
 * Whether a text can be one segment of a path (Kubernetes' `IsValidPathSegmentName`). An API server decodes a path before it takes it
 * apart: `a%2Fstatus` is the status of `a` there, while who may do what was decided for an object of that whole name.
 */
export const isPathSegment = (text: string): boolean =>
  text !== '.' && text !== '..' && !/[/%\p{Surrogate}]/u.test(text)

/** What is wrong with a text that is none. */
export const noPathSegment = (text: string): string =>
  `is ${JSON.stringify(text)}, which is no segment of a path`

/** What is wrong with names of a request that become segments of paths: the first that is none. */
export function problemsOfNames(field: string, names: readonly string[]): FieldViolation[] {
  const wrong = names.find(name => name === '' || !isPathSegment(name))
  if (wrong === undefined) return []
  return [{ field, description: wrong === '' ? 'has an empty name' : noPathSegment(wrong) }]
}
