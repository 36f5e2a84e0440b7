import type { Impersonation, KubeRequest } from '../../ports/kube-api.js'

/** The request headers of a KubeRequest, besides the authorization. Values that repeat are arrays, as undici takes them. */
export function requestHeaders(
  request: Pick<KubeRequest, 'accept' | 'contentType' | 'impersonate' | 'body'>,
  userAgent: string,
): Record<string, string | string[]> {
  return {
    accept: request.accept ?? 'application/json',
    'user-agent': userAgent,
    ...(request.body !== undefined && { 'content-type': request.contentType ?? 'application/json' }),
    ...(request.impersonate && impersonationHeaders(request.impersonate)),
  }
}

/**
 * The Impersonate-* headers. Names travel as UTF-8 bytes, and extra keys are percent-encoded where a header name cannot
 * carry them, as the API server decodes them.
 */
function impersonationHeaders(who: Impersonation): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { 'Impersonate-User': utf8(who.user) }
  if (who.groups?.length) headers['Impersonate-Group'] = who.groups.map(utf8)
  for (const [key, values] of Object.entries(who.extra ?? {}))
    headers[`Impersonate-Extra-${headerKey(key)}`] = values.map(utf8)
  return headers
}

const utf8 = (value: string): string => Buffer.from(value, 'utf8').toString('latin1')

const headerKey = (key: string): string =>
  encodeURIComponent(key).replace(/[()]/g, c => (c === '(' ? '%28' : '%29'))
