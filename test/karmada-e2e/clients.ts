import { load } from 'js-yaml'
import { z } from 'zod'
import { ApiClient, type ApiCredentials } from '../real/api-client.js'

const base64 = z.string().transform(text => Buffer.from(text, 'base64').toString('utf8'))
const kubeconfigSchema = z.object({
  clusters: z.tuple([
    z.object({ cluster: z.object({ server: z.string(), 'certificate-authority-data': base64 }) }),
  ]),
  users: z.tuple([
    z.object({
      user: z.object({
        token: z.string().optional(),
        'client-certificate-data': base64.optional(),
        'client-key-data': base64.optional(),
      }),
    }),
  ]),
})

/** The credentials of a kubeconfig's text. @throws ZodError unless it has one cluster and one user, with everything inside */
export function credentialsIn(kubeconfig: string): ApiCredentials {
  const { clusters, users } = kubeconfigSchema.parse(load(kubeconfig))
  const { server, 'certificate-authority-data': ca } = clusters[0].cluster
  const { token, 'client-certificate-data': clientCertificate, 'client-key-data': clientKey } = users[0].user
  return {
    url: server,
    ca,
    ...(token !== undefined && { token }),
    ...(clientCertificate !== undefined && { clientCertificate }),
    ...(clientKey !== undefined && { clientKey }),
  }
}

const CLUSTERS = '/apis/cluster.karmada.io/v1alpha1/clusters'

/** The members of a control plane by name, each reached through the control plane. */
export async function membersOf(credentials: ApiCredentials): Promise<ReadonlyMap<string, ApiClient>> {
  const { items } = await new ApiClient(credentials).must<{ items: { metadata: { name: string } }[] }>(
    'GET',
    CLUSTERS,
  )
  return new Map(
    items.map(({ metadata: { name } }) => [
      name,
      new ApiClient({ ...credentials, url: `${credentials.url}${CLUSTERS}/${name}/proxy` }),
    ]),
  )
}
