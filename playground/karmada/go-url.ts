import { isIPv6 } from 'node:net'

/** What Karmada looks at of a URL. */
export interface GoUrl {
  /** In small letters; empty for a relative reference. */
  readonly scheme: string
  readonly host: string
  /** Encoded; absent where there is none. */
  readonly user?: string
  /** As it was written, without its question mark. */
  readonly query: string
  /** Decoded. */
  readonly fragment: string
}

/** A text that Go cannot read as a URL; the message is Go's. */
export class GoUrlError extends Error {
  override readonly name = 'GoUrlError'
}

/**
 * Reads a URL as Go's `net/url` does (1.26): much that is no URL for a browser is a relative reference for Go, and the words of a refusal
 * are those that users of Karmada see. What is wrong with an address in brackets is said in Go's general words alone.
 * @throws GoUrlError
 */
export function parseGoUrl(text: string): GoUrl {
  const [url = ''] = text.split('#', 1)
  return {
    ...naming(url, () => withoutFragment(url)),
    fragment: naming(text, () => unescaped(text.slice(url.length + 1), 'path')),
  }
}

function naming<T>(text: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof GoUrlError)) throw error
    throw new GoUrlError(`parse ${JSON.stringify(text)}: ${error.message}`)
  }
}

function withoutFragment(url: string): Omit<GoUrl, 'fragment'> {
  if ([...url].some(one => one < ' ' || one === '\u007f'))
    throw new GoUrlError('net/url: invalid control character in URL')
  if (url.startsWith(':')) throw new GoUrlError('missing protocol scheme')
  const named = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]
  const scheme = (named ?? '').toLowerCase()
  const rest = named === undefined ? url : url.slice(named.length + 1)
  const [before = ''] = rest.split('?', 1)
  const query = rest.slice(before.length + 1)
  if (!before.startsWith('/')) {
    if (scheme !== '') return { scheme, host: '', query }
    if (before.split('/', 1)[0]?.includes(':'))
      throw new GoUrlError('first path segment in URL cannot contain colon')
  }
  const hasAuthority = before.startsWith('//')
  const [authority = ''] = hasAuthority ? before.slice(2).split('/', 1) : []
  const read = { scheme, query, ...authorityOf(scheme, authority) }
  unescaped(hasAuthority ? before.slice(2 + authority.length) : before, 'path')
  return read
}

function authorityOf(scheme: string, authority: string): Pick<GoUrl, 'host' | 'user'> {
  const at = authority.lastIndexOf('@')
  const host = hostOf(scheme, authority.slice(at + 1))
  if (at < 0) return { host }
  const user = authority.slice(0, at)
  if (!/^[\w\-.:~!$&'()*+,;=%@]*$/.test(user)) throw new GoUrlError('net/url: invalid userinfo')
  const [name = ''] = user.split(':', 1)
  const parts = name === user ? [user] : [name, user.slice(name.length + 1)]
  return { host, user: parts.map(part => escapedUser(unescaped(part, 'path'))).join(':') }
}

const escapedUser = (text: string): string =>
  [...Buffer.from(text)]
    .map(byte => {
      const char = String.fromCharCode(byte)
      if (byte < 0x80 && /[\w\-.~$&+,;=]/.test(char)) return char
      return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')

function hostOf(scheme: string, text: string): string {
  const bracket = text.lastIndexOf('[')
  if (bracket > 0) throw new GoUrlError('invalid IP-literal')
  if (bracket === 0) {
    const end = text.lastIndexOf(']')
    if (end < 0) throw new GoUrlError("missing ']' in host")
    checkPort(text.slice(end + 1))
    const [address = ''] = text.slice(1, end).split('%25', 1)
    const whole = unescaped(address, 'host') + unescaped(text.slice(1 + address.length, end), 'zone')
    // Node knows fewer names of zones than Go, for whom anything is one.
    if (!isIPv6(address) || whole === `${address}%`)
      throw new GoUrlError(`invalid host: ParseAddr(${JSON.stringify(whole)}): unable to parse IP`)
    return `[${whole}]${text.slice(end + 1)}`
  }
  // More than one colon is left to databases, whose schemes have it.
  const isStrict = scheme === 'http' || scheme === 'https'
  const colon = isStrict ? text.indexOf(':') : text.lastIndexOf(':')
  if (colon >= 0) checkPort(text.slice(colon))
  return unescaped(text, 'host')
}

function checkPort(text: string): void {
  if (!/^(:\d*)?$/.test(text)) throw new GoUrlError(`invalid port ${JSON.stringify(text)} after host`)
}

type Part = 'host' | 'zone' | 'path'

/** What may stand in a host as it is. */
const HOST_CHARACTER = /[\w\-.~!$&'()*+,;=:[\]<>"]/

/** Decodes `%xx`. */
function unescaped(text: string, part: Part): string {
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '%') {
      const coded = text.slice(at, at + 3)
      const isCode = /^%[\da-f]{2}$/i.test(coded)
      if (!isCode || !mayBeCoded(coded, part))
        throw new GoUrlError(`invalid URL escape ${JSON.stringify(coded)}`)
    } else if (part !== 'path' && char < '\u0080' && !HOST_CHARACTER.test(char))
      throw new GoUrlError(`invalid character ${JSON.stringify(char)} in host name`)
  }
  return text.replace(/(?:%[\da-f]{2})+/gi, run => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
}

/** In a host a code stands for what is not ASCII alone, in a zone for what could stand there uncoded or a space, in both for a percent sign. */
function mayBeCoded(coded: string, part: Part): boolean {
  if (part === 'path' || coded === '%25') return true
  const code = Number.parseInt(coded.slice(1), 16)
  if (part === 'host') return code >= 0x80
  return code === 0x20 || HOST_CHARACTER.test(String.fromCharCode(code))
}
