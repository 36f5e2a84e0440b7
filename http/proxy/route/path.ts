/** Where a request through the proxy wants to go. */
export interface ProxyPath {
  readonly instance: string
  /** The path inside the instance, encoded as it came, with its query; starts with a slash. */
  readonly path: string
}

/** Why a request line is not followed. */
export interface BadPath {
  readonly problem: string
}

const PREFIX = '/apis/kairship.io/v1alpha1/instances/'
/** DNS-1123 subdomain: what an Instance can be called. */
const INSTANCE_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

/**
 * Reads `…/instances/{instance}/proxy/{path}` from a request line. Undefined where it is something else. What could mean
 * one thing here and another to the server behind is refused, not repaired: dot segments, doubled slashes, encoded slashes
 * and backslashes, whatever is not printable ASCII, and absolute-form targets.
 */
export function parseProxyPath(target: string): ProxyPath | BadPath | undefined {
  const [, rest = ''] = target.startsWith(PREFIX) ? [undefined, target.slice(PREFIX.length)] : []
  const match = /^([^/?#]+)\/proxy(?=[/?]|$)/.exec(rest)
  if (!match) return undefined
  const instance = match[1] ?? ''
  if (instance.length > 253 || !INSTANCE_NAME.test(instance)) {
    return { problem: `${JSON.stringify(instance)} cannot be the name of an instance` }
  }
  const inside = rest.slice(match[0].length)
  const mark = inside.indexOf('?')
  const path = mark < 0 ? inside : inside.slice(0, mark)
  const search = mark < 0 ? '' : inside.slice(mark)
  const problem = problemOf(path) ?? (/[^!-~]|#/.test(search) ? 'the query is not encoded' : undefined)
  if (problem) return { problem }
  return { instance, path: `${path === '' ? '/' : path}${search}` }
}

/** What most paths are made of alone: nothing in it could mean two things. */
const PLAIN = /^(\/[-\w:]+)*\/?$/

function problemOf(path: string): string | undefined {
  if (PLAIN.test(path)) return undefined
  if (/[^!-~]|[\\#]/.test(path)) return 'the path is not encoded'
  if (/%(?![0-9a-f]{2})/i.test(path)) return 'the path holds a % that encodes nothing'
  if (/%(2f|5c|00)/i.test(path)) return 'the path holds an encoded slash, backslash or NUL'
  if (path.includes('//')) return 'the path holds an empty segment'
  // Few paths have either, and taking one apart costs more than all of the above.
  if (!/\.|%2e/i.test(path)) return undefined
  const dots = path.split('/').some(segment => /^\.{1,2}$/.test(segment.replaceAll(/%2e/gi, '.')))
  return dots ? 'the path holds a . or .. segment' : undefined
}
