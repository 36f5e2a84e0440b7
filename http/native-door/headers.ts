import type { Caller } from '../identity/caller.js'

/**
 * Header names in lower case, asked for as they came. Few names have as many letters as one of these, and the others, nearly
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
const NOT_TRUSTED = new Names('authorization', 'cookie', 'host', 'forwarded', 'via', 'x-real-ip')
const NOT_TRUSTED_PREFIX = /^(impersonate[-_]|x[-_](remote|forwarded|real)[-_])/i
const IMPERSONATE = /^impersonate[-_]/i

const UPGRADE = new Names('upgrade')
const PROTOCOLS = new Names('sec-websocket-protocol')
/** A WebSocket subprotocol that is a bearer token in disguise, for browsers that cannot set headers. */
const TOKEN_PROTOCOL = /^base64url\.bearer\.authorization\.k8s\.io\./

/** Whether a caller asks to act as somebody else, which the door does not pass on and must not silently ignore. */
export function asksToImpersonate(rawHeaders: readonly string[]): boolean {
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (IMPERSONATE.test(rawHeaders[index] ?? '')) return true
  return false
}

/**
 * The headers to send on: what the caller sent, less what is not its to say, plus who it is. Names and values in turn.
 * @param keepUpgrade for upgrades, whose `Connection` and `Upgrade` are written anew
 */
export function requestHeaders(
  rawHeaders: readonly string[],
  caller: Caller,
  keepUpgrade = false,
): readonly string[] {
  const dropped = namedByConnection(rawHeaders)
  const kept: string[] = []
  let upgrade = ''
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    const value = rawHeaders[index + 1] ?? ''
    if (keepUpgrade && UPGRADE.has(name)) upgrade = value
    if (
      HOP_BY_HOP.has(name) ||
      NOT_TRUSTED.has(name) ||
      NOT_TRUSTED_PREFIX.test(name) ||
      dropped?.has(name.toLowerCase())
    )
      continue
    const clean = PROTOCOLS.has(name) ? withoutToken(value) : value
    if (clean !== '' || value === '') kept.push(name, clean)
  }
  if (keepUpgrade) kept.push('Connection', 'Upgrade', 'Upgrade', upgrade)
  kept.push(...impersonation(caller))
  return kept
}

/** The headers to answer with: the server's, less what belonged to its connection with us. */
export function answerHeaders(rawHeaders: readonly string[]): string[] {
  const dropped = namedByConnection(rawHeaders)
  const kept: string[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (!HOP_BY_HOP.has(name) && !dropped?.has(name.toLowerCase()))
      kept.push(name, rawHeaders[index + 1] ?? '')
  }
  return kept
}

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

function impersonationOf({ user, uid, groups, extra }: Caller): readonly string[] {
  return [
    'Impersonate-User',
    utf8(user),
    ...(uid ? ['Impersonate-Uid', utf8(uid)] : []),
    ...groups.flatMap(group => ['Impersonate-Group', utf8(group)]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.flatMap(value => [`Impersonate-Extra-${headerKey(key)}`, utf8(value)]),
    ),
  ]
}

/** Header values travel as bytes; a line break in a name would be a header of its own, and is not let through. */
const utf8 = (value: string): string =>
  Buffer.from(value.replaceAll(/[\r\n\0]/g, ' '), 'utf8').toString('latin1')

/** Percent-encodes what a header name cannot carry, as the API server decodes it. */
const headerKey = (key: string): string =>
  encodeURIComponent(key).replaceAll(/[()]/g, character => (character === '(' ? '%28' : '%29'))

/** `Connection: x` makes x a hop-by-hop header too; undefined where it names none, which is the common case. */
function namedByConnection(rawHeaders: readonly string[]): ReadonlySet<string> | undefined {
  let found: ReadonlySet<string> | undefined
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const value = rawHeaders[index + 1] ?? ''
    if (!CONNECTION.has(rawHeaders[index] ?? '') || value === 'keep-alive') continue
    found = new Set([...(found ?? []), ...value.split(',').map(name => name.trim().toLowerCase())])
  }
  return found
}

const CONNECTION = new Names('connection')

const withoutToken = (protocols: string): string =>
  protocols
    .split(',')
    .map(protocol => protocol.trim())
    .filter(protocol => !TOKEN_PROTOCOL.test(protocol))
    .join(', ')
