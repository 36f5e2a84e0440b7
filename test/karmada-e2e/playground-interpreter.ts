import { readFileSync } from 'node:fs'
import { ApiClient } from '../real/api-client.js'
import { buildNamed } from '../real/build.js'
import { CertificateAuthority } from '../real/certificates.js'
import { type Examined, INTERPRETER_PROGRAM, startInterpreter } from '../real/karmada-examined.js'
import { loopbackHosts } from '../real/kube-control-plane.js'
import { Site } from '../real/site.js'
import { credentialsIn, membersOf } from './clients.js'

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
  const credentials = credentialsIn(readFileSync(kubeconfig, 'utf8'))
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
  const members = [...(await membersOf(credentials)).values()].map(client => ({ client }))
  try {
    await startInterpreter(site, plane, members)
    return site
  } catch (error) {
    await site.close(true)
    throw error
  }
}
