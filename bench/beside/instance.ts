import { kubeConnector } from '../../actors/kube/connector.js'
import { parseKubeconfig } from '../../actors/kube/kubeconfig.js'
import type { KubeObject } from '../../manifests/kube.js'
import { resourcePath } from '../../manifests/kube.js'
import { fromBase64 } from '../../playground/client/kubeconfig.js'
import { INSTANCE_NAMESPACE } from '../../playground/fleet/instances.js'
import { instanceName } from '../../playground/fleet/names.js'
import { SECRETS } from '../../playground/objects/core-types.js'
import type { Endpoint } from './callers.js'

/**
 * Where the first instance answers by itself, as Kairship's own connection reaches it.
 * @param hostKubeconfig of the host that has its kubeconfig in a Secret
 * @throws Error where that has no client certificate
 */
export async function instanceEndpoint(hostKubeconfig: string, path: string): Promise<Endpoint> {
  const host = await kubeConnector().connect(hostKubeconfig)
  try {
    const at = { namespace: INSTANCE_NAMESPACE, name: `${instanceName(0)}-kubeconfig` }
    const secret = await host.request<KubeObject & { readonly data: Readonly<Record<string, string>> }>({
      method: 'GET',
      path: resourcePath(SECRETS, at),
    })
    const text = fromBase64(secret.data.kubeconfig ?? '')
    const { server, credential } = parseKubeconfig(text, { local: false })
    const { cert, key } = credential.certificate ?? {}
    if (!cert || !key || !('pem' in cert && 'pem' in key))
      throw new Error('the kubeconfig of the instance has no client certificate')
    return { url: `${server}${path}`, clientCertificate: cert.pem, clientKey: key.pem }
  } finally {
    await host.close()
  }
}
