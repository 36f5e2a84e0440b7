import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { z } from 'zod'
import { ApiClient, type ApiCredentials } from '../real/api-client.js'
import { buildNamed } from '../real/build.js'
import { CertificateAuthority } from '../real/certificates.js'
import { type Examined, INTERPRETER_PROGRAM, startInterpreter } from '../real/karmada-examined.js'
import { loopbackHosts } from '../real/kube-control-plane.js'
import { Site } from '../real/site.js'

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

function credentialsIn(kubeconfig: string): ApiCredentials {
  const { clusters, users } = kubeconfigSchema.parse(load(readFileSync(kubeconfig, 'utf8')))
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

/**
 * Serves the Workload type of Karmada's suite in a playground's control plane and its members, and starts the webhook that interprets it.
 * @param folder created by the caller; `close` removes it
 * @returns the site to close
 */
export async function interpretWorkloads(
  kubeconfig: string,
  folder: string,
  report: (line: string) => void,
): Promise<Site> {
  await buildNamed(INTERPRETER_PROGRAM, report)
  const site = new Site(folder)
  const credentials = credentialsIn(kubeconfig)
  const client = new ApiClient(credentials)
  const ca = await CertificateAuthority.create('interpreter-ca')
  const plane: Examined = {
    name: 'playground',
    ca,
    // Only the webhook is asked by it.
    administrator: { ...credentials, ca: ca.certificate },
    client,
    kubeconfig,
    servingFiles: async (server, hosts) => {
      const { certificate, key } = await ca.issue({ commonName: server, hosts: [...hosts, ...loopbackHosts] })
      return {
        certificate: site.file(`${server}/tls.crt`, certificate),
        key: site.file(`${server}/tls.key`, key),
      }
    },
  }
  const clusters = '/apis/cluster.karmada.io/v1alpha1/clusters'
  const { items } = await client.must<{ items: { metadata: { name: string } }[] }>('GET', clusters)
  const members = items.map(({ metadata }) => ({
    client: new ApiClient({ ...credentials, url: `${credentials.url}${clusters}/${metadata.name}/proxy` }),
  }))
  try {
    await startInterpreter(site, plane, members)
    return site
  } catch (error) {
    await site.close(true)
    throw error
  }
}
