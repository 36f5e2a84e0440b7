import { StatusError } from '../../manifests/status-error.js'

/**
 * Statuses that are not about one object: the credential counts no longer, the type is not served, the API server took too long, or wants to be left
 * alone. Of those from 500 on only 500 itself is: so an API server answers where an admission webhook fails over an object.
 */
const OF_ALL: ReadonlySet<number> = new Set([401, 404, 408, 429])

/** Whether an API server refused one object, such as by a policy, and may take others. */
export const isAboutOneObject = (error: unknown): error is StatusError =>
  error instanceof StatusError && error.code >= 400 && error.code <= 500 && !OF_ALL.has(error.code)
