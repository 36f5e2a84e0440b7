import { CommandError, ExitCode } from '../exit-code.js'

/** What a command line asks about, in an API server's words. */
export interface AccessArgument {
  readonly verb: string
  readonly group: string
  /** With its subresource after a slash. */
  readonly resource: string
  readonly namespace: string
  readonly name: string
  readonly path: string
}

/** Groups of resources that need none on a command line, as in `object-argument.ts`, in the plural. */
const GROUPS: Readonly<Record<string, string>> = {
  ...{ deployments: 'apps', statefulsets: 'apps', daemonsets: 'apps', replicasets: 'apps' },
  ...{ jobs: 'batch', cronjobs: 'batch' },
  ...{ ingresses: 'networking.k8s.io', networkpolicies: 'networking.k8s.io' },
  ...{ propagationpolicies: 'policy.karmada.io', clusterpropagationpolicies: 'policy.karmada.io' },
  ...{ overridepolicies: 'policy.karmada.io', clusteroverridepolicies: 'policy.karmada.io' },
  ...{ resourcebindings: 'work.karmada.io', works: 'work.karmada.io', clusters: 'cluster.karmada.io' },
  ...{ instances: 'kairship.io' },
}

/**
 * Reads `get deployments`, `get deployments.apps/scale web`, `get pods/log web`, `create instances/kubeconfig` and `get /metrics`.
 * @throws CommandError for what is neither a resource nor a path
 */
export function accessArgument(
  [verb = '', resource = '', name = '']: readonly string[],
  namespace = '',
): AccessArgument {
  if (resource.startsWith('/')) {
    if (name !== '' || namespace !== '')
      throw usage('a path such as /metrics is asked for without a name and without --namespace')
    return { verb, group: '', resource: '', namespace: '', name: '', path: resource }
  }
  const [whole = '', subresource, ...more] = resource.toLowerCase().split('/')
  const dot = whole.indexOf('.')
  const type = dot < 0 ? whole : whole.slice(0, dot)
  if (type === '' || subresource === '' || more.length > 0)
    throw usage(
      `${JSON.stringify(resource)} is no resource: write it in the plural with its group where it has one, as in deployments.apps, with a subresource after a slash, as in pods/log, or a path such as /metrics`,
    )
  const group = dot < 0 ? (GROUPS[type] ?? '') : whole.slice(dot + 1)
  return {
    ...{ verb, group, namespace, name, path: '' },
    resource: subresource === undefined ? type : `${type}/${subresource}`,
  }
}

const usage = (message: string): CommandError => new CommandError(message, ExitCode.usage)
