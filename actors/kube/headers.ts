import { type Impersonation, impersonationHeaders } from '../../ports/impersonation.js'
import type { KubeRequest } from '../../ports/kube-api.js'
import { eachHeader } from '../../ports/raw-headers.js'

/** The request headers of a KubeRequest, besides the authorization. Values that repeat are arrays, as undici takes them. */
export function requestHeaders(
  request: Pick<KubeRequest, 'accept' | 'contentType' | 'impersonate' | 'body'>,
  userAgent: string,
): Record<string, string | string[]> {
  return {
    accept: request.accept ?? 'application/json',
    'user-agent': userAgent,
    ...(request.body !== undefined && { 'content-type': request.contentType ?? 'application/json' }),
    ...(request.impersonate && impersonation(request.impersonate)),
  }
}

/** As undici takes headers that repeat. */
function impersonation(who: Impersonation): Record<string, string | string[]> {
  const headers: Record<string, string[]> = {}
  eachHeader(impersonationHeaders(who), (name, value) => {
    headers[name] = [...(headers[name] ?? []), value]
  })
  return headers
}
