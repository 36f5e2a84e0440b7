import type { IncomingHttpHeaders } from 'node:http'
import { impersonationHeaders } from '../../../ports/impersonation.js'
import { eachHeader, valuesOf } from '../../../ports/raw-headers.js'
import { isSessionUserProtocol } from '../../../transcoding/session-user.js'
import { permissionDenied } from '../../errors/failure.js'
import { type Caller, isChangedByHeader } from '../../identity/caller.js'

/**
 * Header names in lower case, compared with names as they came. Few names have as many letters as one of these, and the others, nearly
 * all of a request, need no copy in lower case.
 */
class Names {
  readonly #names: ReadonlySet<string>
  readonly #lengths: readonly boolean[]

  constructor(...names: readonly string[]) {
    this.#names = new Set(names)
    const longest = Math.max(...names.map(({ length }) => length))
    this.#lengths = Array.from({ length: longest + 1 }, (_, length) =>
      names.some(name => name.length === length),
    )
  }

  has(name: string): boolean {
    return this.#lengths[name.length] === true && this.#names.has(name.toLowerCase())
  }
}

/** Headers that belong to one connection, and never travel on (RFC 9110, section 7.6.1, and its predecessors). */
const HOP_BY_HOP = new Names(
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'http2-settings',
)

/**
 * What a request says of who it is from or where it came by: only we may say that to the server behind. Some servers take
 * an underscore for a dash.
 */
const NOT_TRUSTED = new Names(
  'authorization',
  'cookie',
  'host',
  'forwarded',
  'via',
  'x-real-ip',
  'audit-id',
  'kairship-session-user',
)
const NOT_TRUSTED_PREFIX = /^(impersonate[-_]|x[-_](remote|forwarded|real)[-_])/i

/**
 * What an answer says to a browser about its origin, which is Kairship's and no instance's: any pod behind one could have the console act under
 * a session of its choice, or sign everybody out. No instance gets a cookie either.
 */
const OF_THE_ORIGIN = new Names(
  'set-cookie',
  'clear-site-data',
  'strict-transport-security',
  'alt-svc',
  'service-worker-allowed',
)

const PROTOCOLS = new Names('sec-websocket-protocol')
/** A WebSocket subprotocol that is a bearer token in disguise, for browsers that cannot set headers. */
const TOKEN_PROTOCOL = /^base64url\.bearer\.authorization\.k8s\.io\./

/** Whether a request has a body, which may be empty: it says its length, or how it is sent (RFC 9112, section 6.3). */
export const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/**
 * The headers to send on: those of the caller, without those only Kairship may set, and the caller's identity. Names and values
 * in turn.
 * @param auditId names the request in the instance's audit log as in ours: Kubernetes has the first server that receives it set the header
 * (k8s.io/apiserver, pkg/apis/audit/v1, HeaderAuditID)
 * @throws Failure PERMISSION_DENIED for a caller whose name would be another one's in a header
 */
export function requestHeaders(
  rawHeaders: readonly string[],
  caller: Caller,
  auditId?: string,
): readonly string[] {
  const dropped = namedByConnection(rawHeaders)
  const kept: string[] = []
  eachHeader(rawHeaders, (name, value) => {
    if (
      HOP_BY_HOP.has(name) ||
      NOT_TRUSTED.has(name) ||
      NOT_TRUSTED_PREFIX.test(name) ||
      dropped?.has(name.toLowerCase())
    )
      return
    const clean = PROTOCOLS.has(name) ? withoutToken(value) : value
    if (clean !== '' || value === '') kept.push(name, clean)
  })
  if (auditId !== undefined) kept.push('Audit-ID', auditId)
  kept.push(...impersonation(caller))
  return kept
}

/** The headers to answer with: the server's, less what belonged to its connection with us, and what is Kairship's to say. */
export function answerHeaders(rawHeaders: readonly string[]): string[] {
  const dropped = namedByConnection(rawHeaders)
  const kept: string[] = []
  eachHeader(rawHeaders, (name, value) => {
    if (!HOP_BY_HOP.has(name) && !OF_THE_ORIGIN.has(name) && !dropped?.has(name.toLowerCase()))
      kept.push(name, value)
  })
  return kept
}

/**
 * Adds to an answer that a browser could take for a page that it is none of ours. Any pod behind an instance may have written
 * it: as a page of this origin its scripts could call everything here with the certificate that the browser adds, and read the
 * token that was typed into the documentation page.
 */
export function sandboxed(headers: string[]): string[] {
  const types = valuesOf(headers, 'content-type')
  if (types.length === 0 || !types.every(type => DATA.test(type)))
    headers.push('Content-Security-Policy', 'sandbox', 'X-Content-Type-Options', 'nosniff')
  return headers
}

/**
 * Types that no browser makes a page of. Without a type, or with one that it does not know, it looks at the content. Of several types in one
 * header it takes the last (Fetch Standard, section 2.2.2, "extract a MIME type").
 */
const DATA = /^ *(application\/(json|cbor|octet-stream|[-\w.+]*protobuf)|text\/plain) *(;[^,]*)?$/i

/** Who the caller is, in Kubernetes' impersonation headers. */
function impersonation(caller: Caller): readonly string[] {
  let headers = impersonations.get(caller)
  if (!headers) {
    headers = impersonationOf(caller)
    impersonations.set(caller, headers)
  }
  return headers
}

/** A remembered caller is the same object for many requests, and never changes. */
const impersonations = new WeakMap<Caller, readonly string[]>()

/**
 * Servers remove blanks at the ends of a header: the group ` system:masters`, which means nothing on the host and may be in a
 * certificate that its signer would not issue for `system:masters`, would be that group in the instance. A line break would
 * begin a header of its own.
 */
function impersonationOf(caller: Caller): readonly string[] {
  const { user, uid = '', groups, extra } = caller
  for (const value of [user, uid, ...groups, ...Object.values(extra).flat()])
    if (isChangedByHeader(value))
      throw permissionDenied(
        `the name ${JSON.stringify(value)} of the caller begins or ends with a blank or has a control character: it would be another name for the instance`,
      )
  return impersonationHeaders(caller)
}

/** `Connection: x` makes x a hop-by-hop header too; undefined where it names none, which is the common case. */
function namedByConnection(rawHeaders: readonly string[]): ReadonlySet<string> | undefined {
  let found: ReadonlySet<string> | undefined
  eachHeader(rawHeaders, (name, value) => {
    if (!CONNECTION.has(name) || value === 'keep-alive') return
    found = new Set([...(found ?? []), ...value.split(',').map(named => named.trim().toLowerCase())])
  })
  return found
}

const CONNECTION = new Names('connection')

const withoutToken = (protocols: string): string =>
  protocols
    .split(',')
    .map(protocol => protocol.trim())
    .filter(protocol => !TOKEN_PROTOCOL.test(protocol) && !isSessionUserProtocol(protocol))
    .join(', ')
