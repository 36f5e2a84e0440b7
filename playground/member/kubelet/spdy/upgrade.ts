import type { Duplex } from 'node:stream'
import { badRequest } from '../../../apiserver/api-status.js'
import type { ApiRequest } from '../../../apiserver/wire/exchange.js'

/** What clients ask for in `Upgrade`. */
export const SPDY = 'spdy/3.1'

/** True for a request to change to SPDY/3.1. */
export const asksForSpdy = ({ headers }: ApiRequest): boolean =>
  String(headers.upgrade ?? '').toLowerCase() === SPDY

/**
 * Changes the protocol of a request's socket.
 * @param protocols those spoken here, the best first; the client offers its own in `X-Stream-Protocol-Version`
 * @throws StatusError 400 when none is spoken by both
 */
export function upgradeToSpdy({ upgrade, headers }: ApiRequest, protocols: readonly string[]): Duplex {
  if (!upgrade) throw badRequest('you must specify at least 1 upgrade request header')
  const offered = String(headers['x-stream-protocol-version'] ?? '')
    .split(',')
    .map(name => name.trim())
  const protocol = protocols.find(name => offered.includes(name))
  if (!protocol)
    throw badRequest(`none of ${offered.join(', ')} is spoken here, only ${protocols.join(', ')}`)
  const socket = upgrade.socket as Duplex
  socket.write(
    [
      'HTTP/1.1 101 Switching Protocols',
      'Connection: Upgrade',
      'Upgrade: SPDY/3.1',
      `X-Stream-Protocol-Version: ${protocol}`,
      '\r\n',
    ].join('\r\n'),
  )
  // What came with the request belongs to the new protocol.
  if (upgrade.head.length > 0) socket.unshift(upgrade.head)
  return socket
}
