/** What a path below `/apis/clusterpedia.io/v1beta1/resources` asks for. Without `cluster` it is all clusters. */
export type ResourceRoute = { readonly cluster?: string } & (
  | { readonly to: 'versions' }
  | { readonly to: 'groups' }
  | { readonly to: 'group'; readonly group: string }
  | { readonly to: 'types'; readonly group: string; readonly version: string }
  | ResourceRequest
)

/** A list (without a name), or one object. */
export interface ResourceRequest {
  readonly to: 'resource'
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
  readonly subresource: string
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment // names nothing that exists
  }
}

/** Reads a path below `…/resources/`; undefined when it is none of the grammar. */
export function parseRoute(path: string): ResourceRoute | undefined {
  const parts = path.split('/').filter(Boolean).map(decoded)
  if (parts[0] !== 'clusters') return parseBelow(parts)
  const [, cluster, ...rest] = parts
  if (!cluster || rest.length === 0) return undefined
  const route = parseBelow(rest)
  return route && { ...route, cluster }
}

function parseBelow([root, ...rest]: readonly string[]): ResourceRoute | undefined {
  if (root === 'api') {
    const [version, ...below] = rest
    return version === undefined ? { to: 'versions' } : parseResource('', version, below)
  }
  if (root !== 'apis') return undefined
  const [group, version, ...below] = rest
  if (group === undefined) return { to: 'groups' }
  return version === undefined ? { to: 'group', group } : parseResource(group, version, below)
}

function parseResource(group: string, version: string, parts: readonly string[]): ResourceRoute {
  if (parts.length === 0) return { to: 'types', group, version }
  const inNamespace = parts[0] === 'namespaces' && parts.length > 2
  const namespace = inNamespace ? (parts[1] ?? '') : ''
  const [resource = '', name = '', subresource = ''] = inNamespace ? parts.slice(2) : parts
  return { to: 'resource', group, version, resource, namespace, name, subresource }
}
