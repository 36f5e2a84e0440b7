import { parse } from 'yaml'
import { editKubeconfig, kubeconfig } from './kubeconfig-file.js'

/**
 * Adds an instance's cluster, user and context to a kubeconfig, all named `kairship-<instance>`, in place of those of that name.
 * Everything else in the file stays. The current context changes only where there was none.
 * @param addition a kubeconfig with one cluster and one user
 * @returns the name of the context, and whether it is the current one
 * @throws CommandError when the file cannot be used, or kubectl is writing it
 */
export function mergeKubeconfig(
  path: string,
  addition: string,
  instance: string,
): { readonly context: string; readonly isCurrent: boolean } {
  const context = `kairship-${instance}`
  let current = ''
  editKubeconfig(path, before => {
    const added = kubeconfig.parse(parse(addition))
    const merged = (key: 'clusters' | 'users' | 'contexts', entry: object) => [
      ...(before[key] ?? []).filter(({ name }) => name !== context),
      { ...entry, name: context },
    ]
    current = before['current-context'] || context
    return {
      clusters: merged('clusters', added.clusters?.[0] ?? {}),
      users: merged('users', added.users?.[0] ?? {}),
      contexts: merged('contexts', { context: { cluster: context, user: context } }),
      'current-context': current,
    }
  })
  return { context, isCurrent: current === context }
}
