import { resourcePath } from '../../manifests/kube.js'
import type { Proxied } from './table.js'

/** What nothing is called. */
const ABSENT = 'absent'
const METHODS: Readonly<Record<string, string>> = {
  ...{ get: 'GET', list: 'GET', watch: 'GET' },
  ...{ create: 'POST', update: 'PUT', patch: 'PATCH', delete: 'DELETE' },
}
const OF_ONE = new Set(['get', 'update', 'patch', 'delete'])
const VERSIONS: Readonly<Record<string, string>> = {
  ...{ deployments: 'v1', secrets: 'v1', roles: 'v1', clusterroles: 'v1' },
  ...{ resourcebindings: 'v1alpha2' },
}

/** A request of Kubernetes' API that changes nothing that others rely on, where it is allowed. */
export function proxiedRequest(
  { group, resource, namespace: scope }: Proxied,
  verb: string,
  namespace: string,
) {
  const type = { group, version: VERSIONS[resource] ?? 'v1alpha1', resource }
  const path = resourcePath(type, {
    ...(scope === 'named' && { namespace }),
    ...(OF_ONE.has(verb) && { name: ABSENT }),
  })
  const isBody = verb === 'create' || verb === 'update' || verb === 'patch'
  return {
    method: METHODS[verb]!,
    path: verb === 'watch' ? `${path}?watch=true&timeoutSeconds=1` : path,
    ...(isBody && { body: { metadata: { name: ABSENT } } }),
  }
}
