import type { IncomingMessage } from 'node:http'
import { invalidArgument } from '../../errors/failure.js'

/** The protocols that Kubernetes' clients upgrade to, in lower case. With h2c a caller could send requests of its own to the instance. */
const PROTOCOLS = new Set(['websocket', 'spdy/3.1'])
/** client-go asks for SPDY with POST; browsers can ask for WebSocket with GET only. */
const METHODS = new Set(['GET', 'POST'])

/**
 * What is upgraded: the connect subresources of a pod, in the instance or in a member behind it. Not the `proxy` of pods,
 * services and nodes: there a program behind the API server decides what the connection can do, and a kubelet runs commands
 * for callers that may `get nodes/proxy`. A port-forward reaches the same programs under a permission of its own.
 */
const CONNECT = /^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+\/(exec|attach|portforward)(\?|$)/
/** A member's API server, through Karmada's cluster proxy or its search proxy. */
const MEMBER =
  /^\/apis\/(cluster\.karmada\.io\/[^/]+\/clusters|search\.karmada\.io\/[^/]+\/proxying)\/[^/]+\/proxy(?=\/)/

/** What is read of an upgrade request. */
export type UpgradeHead = Pick<IncomingMessage, 'method' | 'httpVersion' | 'headers'>

/**
 * The protocol that a request asks to be upgraded to.
 * @param path inside the instance
 * @throws Failure INVALID_ARGUMENT for requests that no client of Kubernetes sends
 */
export function upgradeProtocol({ method = '', httpVersion, headers }: UpgradeHead, path: string): string {
  if (!CONNECT.test(path.replace(MEMBER, '')))
    throw invalidArgument('only exec, attach and portforward of pods can be upgraded to another protocol')
  // Node joins the values of several headers with commas.
  const protocol = headers.upgrade?.trim() ?? ''
  if (!PROTOCOLS.has(protocol.toLowerCase()))
    throw invalidArgument(
      `cannot upgrade to ${JSON.stringify(protocol)}: ask for either websocket or SPDY/3.1`,
    )
  if (!METHODS.has(method)) throw invalidArgument(`cannot upgrade a ${method} request: use GET or POST`)
  if (httpVersion !== '1.1')
    throw invalidArgument(`cannot upgrade a request of HTTP/${httpVersion}: use HTTP/1.1`)
  if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0)
    throw invalidArgument('cannot upgrade a request that has a body: send none')
  return protocol
}
