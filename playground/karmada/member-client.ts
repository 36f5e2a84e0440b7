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

/** How a Push member is reached. */
export interface MemberAccess {
  /** Changes with the endpoint and with the Secret. */
  readonly credential: string
  /** Connects; the caller closes the connection. */
  connect(connector: KubeConnector): Promise<KubeApi>
}

/**
 * Reads the credentials that a Cluster names, as Karmada's controllers do. Costs one read: a caller that has a connection compares
 * `credential` before it makes another.
 * @throws MemberClientError when the endpoint, the secret or its token is missing
 */
export async function accessTo(control: KubeApi, cluster: Cluster): Promise<MemberAccess> {
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
  return {
    credential: `${apiEndpoint} ${secret.metadata.uid} ${secret.metadata.resourceVersion} ${Boolean(trusts)}`,
    connect(connector) {
      const kubeconfig = kubeconfigOf(cluster.metadata.name, {
        server: apiEndpoint,
        token,
        ...(trusts && { certificateAuthorityData: caBundle }),
      })
      return connector.connect(kubeconfig, { userAgent: 'karmada-controller-manager' })
    },
  }
}

/**
 * Connects to a Push member with the credentials its Cluster names.
 * @throws MemberClientError as `accessTo`
 */
export const connectMember = async (
  control: KubeApi,
  cluster: Cluster,
  connector: KubeConnector,
): Promise<KubeApi> => (await accessTo(control, cluster)).connect(connector)
