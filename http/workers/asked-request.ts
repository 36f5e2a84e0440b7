import type { IncomingMessage } from 'node:http'
import type { RequestHead } from '../listener/request-head.js'
import type { AskedRequest } from './messages.js'

/** What a worker tells of a request that it wants to pass on. */
export function askedOf({ url = '', headers }: IncomingMessage): AskedRequest {
  const { authorization, accept, 'user-agent': userAgent } = headers
  const [requestId, kubectlCommand] = [headers['x-request-id'], headers['kubectl-command']]
  return {
    url,
    authorization,
    accept,
    userAgent,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    kubectlCommand: kubectlCommand === undefined ? undefined : String(kubectlCommand),
  }
}

/** The request as far as its worker has described it. What has more a worker does not ask about. */
export function headOf(asked: AskedRequest, socket: RequestHead['socket']): RequestHead {
  const { url, authorization, accept, userAgent, requestId, kubectlCommand } = asked
  return {
    method: 'GET',
    url,
    rawHeaders: [],
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(accept !== undefined && { accept }),
      ...(userAgent !== undefined && { 'user-agent': userAgent }),
      ...(requestId !== undefined && { 'x-request-id': requestId }),
      ...(kubectlCommand !== undefined && { 'kubectl-command': kubectlCommand }),
    },
    socket,
  }
}
