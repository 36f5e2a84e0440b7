import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { KubeconfigError } from '../../ports/kube-api.js'
import { type Kubeconfig, mergeKubeconfigs } from './kubeconfig.js'

/** Where a Pod finds what it may use to talk to its own cluster. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Where to look; everything defaults to this process's dependencies. */
export interface KubeconfigSearch {
  /** A file named by the user: nothing else is looked at. */
  readonly path?: string
  /** A context other than the current one. */
  readonly context?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly home?: string
  readonly serviceAccountFolder?: string
}

/**
 * Finds the kubeconfig of the cluster Kairship itself runs against: the named file, else $KUBECONFIG, else the Pod's service
 * account, else ~/.kube/config. (A Pod comes before the home folder, because an image may carry a stray one.)
 * @throws KubeconfigError when none of them is there, or the one that is cannot be used
 */
export async function loadKubeconfig(search: KubeconfigSearch = {}): Promise<Kubeconfig> {
  const { path, context, env = process.env, home = homedir() } = search
  if (path) return fromFiles([path], context)
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter(Boolean)
  if (listed.length > 0) return fromFiles(listed, context)
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env
  if (host) return inCluster(host, port, search.serviceAccountFolder ?? SERVICE_ACCOUNT)
  return fromFiles([join(home, '.kube', 'config')], context)
}

/** Of several files those that do not exist are passed over, as kubectl does; one alone must be there. */
async function fromFiles(paths: readonly string[], context: string | undefined): Promise<Kubeconfig> {
  const read = paths.map(async path => {
    try {
      return [{ text: await readFile(path, 'utf8'), local: true, folder: dirname(path) }]
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw new KubeconfigError(`kubeconfig: cannot read ${path}`, { cause })
    }
  })
  const files = (await Promise.all(read)).flat()
  if (files.length === 0)
    throw new KubeconfigError(
      `kubeconfig: ${paths.join(', ')} does not exist; name one with --kubeconfig or KUBECONFIG`,
    )
  try {
    return mergeKubeconfigs(files, context)
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error
    const where = `kubeconfig ${paths.join(', ')}: `
    throw new KubeconfigError(error.message.replace(/^kubeconfig: /, where), { cause: error })
  }
}

async function inCluster(host: string, port: string, folder: string): Promise<Kubeconfig> {
  const namespace = await readFile(join(folder, 'namespace'), 'utf8').catch(() => 'default')
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    context: 'in-cluster',
    namespace: namespace.trim(),
    tls: { insecure: false, ca: { file: join(folder, 'ca.crt') } },
    credential: { tokenFile: join(folder, 'token') },
  }
}
