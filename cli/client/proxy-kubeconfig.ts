import { parse, stringify } from 'yaml'
import type { ClientConfig } from './client-config.js'

/** The parts of a kubeconfig that are filled in here. */
interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: { readonly server: string } }[]
  readonly users: readonly object[]
}

/**
 * Completes the API's kubeconfig with the address, the authority and the token that this command used. The result holds that
 * token: keep it secret.
 * @param login the user of a kubeconfig whose credential is a login, which then counts in place of the token
 */
export function proxyKubeconfig(
  text: string,
  { server, certificateAuthorityData, token }: ClientConfig,
  login?: object,
): string {
  const config = parse(text) as Kubeconfig
  const [cluster, user] = [config.clusters[0], config.users[0]]
  const path = new URL(cluster?.cluster.server ?? '/', server).pathname
  const trust = certificateAuthorityData
    ? { 'certificate-authority-data': Buffer.from(certificateAuthorityData).toString('base64') }
    : {}
  return stringify({
    ...config,
    clusters: [{ ...cluster, cluster: { server: `${server}${path}`, ...trust } }],
    users: [{ ...user, user: login ?? (token === undefined ? {} : { token }) }],
  })
}
