import { kubeConnector } from '../../../actors/kube/connector.js'
import { resourcePath } from '../../../manifests/kube.js'
import type { ApiServer } from '../../../playground/apiserver/server.js'
import { startKarmada } from '../../../playground/karmada/control-plane.js'
import { silent } from '../../silent.js'

/** A Karmada control plane that no Instance manages. */
export const startUnmanagedKarmada = (name: string) =>
  startKarmada({ name, connector: kubeConnector(), log: silent })

/** Text of an administrator's kubeconfig. */
export const administratorOf = (server: ApiServer): Promise<string> =>
  server.kubeconfig({ name: 'root', groups: ['system:masters'] })

/** Stores a Secret with a kubeconfig in the namespace `karmada-instances` of a host, in place of the one that there is. */
export async function storeKubeconfig(
  { local }: ApiServer,
  name: string,
  data: Readonly<Record<string, string>>,
): Promise<void> {
  const secrets = { group: '', version: 'v1', resource: 'secrets' }
  await local.request({
    method: 'PATCH',
    path: resourcePath(secrets, { namespace: 'karmada-instances', name }),
    query: { fieldManager: 'test', force: true },
    contentType: 'application/apply-patch+yaml',
    body: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'karmada-instances', name },
      data: Object.fromEntries(
        Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
      ),
    },
  })
}
