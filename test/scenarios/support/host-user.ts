import type { ApiServer } from '../../../playground/apiserver/server.js'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'

/**
 * A new user who has these rights on the host and no others, whatever the playground's own people may do.
 * @param name of no user yet: what was denied before stays denied for a moment
 * @param rights resources of kairship.io with their verbs
 * @returns the user's token
 */
export async function hostUser(
  host: Pick<ApiServer, 'local' | 'issueToken'>,
  name: string,
  rights: Readonly<Record<string, readonly string[]>>,
): Promise<string> {
  const rules = Object.entries(rights).map(([resource, verbs]) => ({
    ...{ apiGroups: ['kairship.io'], resources: [resource], verbs },
  }))
  const post = (resource: string, body: object) =>
    host.local.request({ method: 'POST', path: `${RBAC}/${resource}`, body })
  await post('clusterroles', { metadata: { name }, rules })
  await post('clusterrolebindings', {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
  })
  return host.issueToken({ name }, 3_600)
}
