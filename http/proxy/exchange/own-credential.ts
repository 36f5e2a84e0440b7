import { valuesOf } from '../../../ports/raw-headers.js'
import { badGateway, type Failure } from '../../errors/failure.js'
import type { RequestInfo } from '../route/request-info.js'

/** Requests that the API server passes on to a program behind it, whose own 401 is for the caller. */
const PROGRAMS = new Set(['services', 'pods', 'nodes'])

/**
 * A failure if an instance's answer means that it refuses Kairship's own credential. The caller is authenticated by us, and
 * kubectl would take a 401 for a reason to log in again.
 */
export function refusedCredential(
  status: number,
  headers: readonly string[],
  { resource }: RequestInfo,
): Failure | undefined {
  if (status !== 401) return undefined
  const toProgram =
    resource?.group === '' &&
    PROGRAMS.has(resource.resource) &&
    /^proxy(\/|$)/.test(resource.subresource ?? '')
  // An API server's own 401 has no challenge; a program's must have one (RFC 9110, 15.5.2).
  if (toProgram && valuesOf(headers, 'www-authenticate').length > 0) return undefined
  return badGateway(
    'the instance refuses Kairship’s own credential (401): your credential is accepted. Renew the kubeconfig of the instance; its conditions say more',
    { reason: 'InstanceCredentialRefused' },
  )
}
