import { valuesOf } from '../../../ports/raw-headers.js'
import { badGateway, type Failure } from '../../errors/failure.js'

/** Stands for the instance: no server has this name. */
const INSTANCE = 'https://instance.invalid'

/**
 * A failure if an instance's answer sends the caller to another server. A client that follows it takes the answer there for one of the
 * instance, and may send its credential along. Redirects within the instance pass; Kairship follows none.
 */
export function foreignRedirect(status: number, headers: readonly string[]): Failure | undefined {
  if (status < 300 || status > 399 || valuesOf(headers, 'location').every(isWithin)) return undefined
  return badGateway(
    'the instance answered with a redirect to another server, which is not passed on: ask that server itself, if you trust it',
    { reason: 'ForeignRedirect' },
  )
}

/** Clients differ in how they read `https:host`. */
const WITH_SCHEME = /^\s*[a-z][-a-z0-9+.]*:/i

/** Read as browsers do: `//host`, `/\host` and blanks before either lead elsewhere. */
function isWithin(location: string): boolean {
  if (WITH_SCHEME.test(location)) return false
  try {
    return new URL(location, INSTANCE).origin === INSTANCE
  } catch {
    // No address at all: nobody knows where it leads.
    return false
  }
}
