import { type KubeApi, type KubeConnector, KubeconfigError } from '../../../ports/kube-api.js'
import { invalidFields } from '../../errors/failure.js'

/** Connects to clusters by kubeconfigs that callers give; files and commands in them are refused. */
export type ConnectToCluster = KubeConnector['connect']

/**
 * Connects to the cluster of a kubeconfig; nothing is sent yet.
 * @throws Failure INVALID_ARGUMENT with what is wrong, without a word of the kubeconfig
 */
export async function connectToCluster(connect: ConnectToCluster, kubeconfig: string): Promise<KubeApi> {
  const wrong = (description: string) => invalidFields([{ field: 'kubeconfig', description }])
  try {
    const api = await connect(kubeconfig)
    if (!api.tlsServerName) return api
    await api.close()
  } catch (error) {
    if (error instanceof KubeconfigError) throw wrong(error.message.replace(/^kubeconfig: /, ''))
    throw error
  }
  throw wrong(
    'has a tls-server-name, which Karmada does not know: name a server whose certificate has its host',
  )
}

/** The text of a kubeconfig of one server and one token. */
export function tokenKubeconfig(of: {
  readonly server: string
  readonly token: string
  /** Base64 of PEM. */
  readonly caBundle: string
  readonly insecure: boolean
}): string {
  const { server, token, caBundle, insecure } = of
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'member',
    clusters: [
      {
        name: 'member',
        cluster: {
          server,
          ...(insecure
            ? { 'insecure-skip-tls-verify': true }
            : caBundle && { 'certificate-authority-data': caBundle }),
        },
      },
    ],
    users: [{ name: 'member', user: { token } }],
    contexts: [{ name: 'member', context: { cluster: 'member', user: 'member' } }],
  })
}
