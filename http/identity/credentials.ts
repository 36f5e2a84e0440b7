import type { IncomingMessage } from 'node:http'
import type { RequestHead } from '../listener/request-head.js'
import type { Credentials } from './authenticate.js'
import { certificateOf } from './certificate.js'

/** What an HTTP request proves its caller by. */
export function credentialsOf(request: RequestHead): Credentials {
  const { headers, socket } = request
  const certificate = certificateOf(socket)
  const { authorization } = headers
  const { remoteAddress: remote, remotePort: port } = socket
  return certificate
    ? { authorization, certificate, remote, port, crossSite: isCrossSite(request) }
    : { authorization, remote, port }
}

/**
 * Whether a page of another site made the request and it may change something. Browsers add a client certificate by
 * themselves, so such a request says nothing about what its user wants. Browsers name the site in Sec-Fetch-Site (all since
 * 2023) or Origin; clients that are no browsers send neither. Reads are harmless: the page cannot see their answers.
 */
export function isCrossSite({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if ((method === 'GET' || method === 'HEAD') && headers.upgrade === undefined) return false
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const { origin } = headers
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== headers.host)
}
