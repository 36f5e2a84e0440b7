import type { Cluster } from '../../karmada/objects/cluster.js'
import type { KubeApi, KubeConnector } from '../../ports/kube-api.js'
import { fromBase64, kubeconfigOf } from '../client/kubeconfig.js'
import { read } from '../client/write.js'
import type { Secret } from '../objects/core.js'
import { SECRETS } from '../objects/core-types.js'

/** Why a member cannot be asked: its credentials are missing or unreadable. The message goes into its Ready condition. */
class MemberClientError extends Error {
  override readonly name = 'MemberClientError'
}

/**
 * What a connection to a member is good for: this Cluster with this spec. One that joined anew under the same name has other
 * credentials, and may have the same generation.
 */
export const joinOf = ({ metadata: { uid, generation } }: Cluster): string => `${uid}/${generation}`

/**
 * Connects to a Push member with the credentials its Cluster names, as Karmada's controllers do.
 * @throws MemberClientError when the endpoint, the secret or its token is missing
 */
export async function connectMember(
  control: KubeApi,
  cluster: Cluster,
  connector: KubeConnector,
): Promise<{ readonly api: KubeApi; readonly credential: string }> {
  const { apiEndpoint, secretRef, insecureSkipTLSVerification } = cluster.spec
  if (!apiEndpoint) throw new MemberClientError('the api endpoint of cluster is empty')
  if (!secretRef) throw new MemberClientError(`cluster ${cluster.metadata.name} does not have a secret`)
  const secret = await read<Secret>(control, SECRETS, secretRef)
  if (!secret) throw new MemberClientError(`secrets "${secretRef.name}" not found`)
  const token = fromBase64(secret.data?.token ?? '')
  if (token === '')
    throw new MemberClientError(
      `the secret for cluster ${cluster.metadata.name} is missing a non-empty value for "token"`,
    )
  const caBundle = secret.data?.caBundle
  const trusts = caBundle && !insecureSkipTLSVerification
  const kubeconfig = kubeconfigOf(cluster.metadata.name, {
    server: apiEndpoint,
    token,
    ...(trusts && { certificateAuthorityData: caBundle }),
  })
  const api = await connector.connect(kubeconfig, { userAgent: 'karmada-controller-manager' })
  return { api, credential: `${apiEndpoint} ${secret.metadata.resourceVersion}` }
}
