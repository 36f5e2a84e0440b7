import { stringify } from 'yaml'

/** Where callers reach this server, and what they must trust. */
export interface ProxyAddress {
  /** `https://host:port`, without a trailing slash. */
  readonly url: string
  /** PEM; absent where the platform's own authorities do. */
  readonly certificateAuthority?: string
}

/** A kubeconfig for one instance through the proxy. Its user has this token, or no credentials: its holder puts in their own. */
export function proxyKubeconfig(
  instance: string,
  { url, certificateAuthority }: ProxyAddress,
  token?: string,
): string {
  const server = `${url}/apis/kairship.io/v1alpha1/instances/${encodeURIComponent(instance)}/proxy`
  const trust = certificateAuthority
    ? { 'certificate-authority-data': Buffer.from(certificateAuthority).toString('base64') }
    : {}
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': instance,
    clusters: [{ name: instance, cluster: { server, ...trust } }],
    users: [{ name: 'kairship', user: token === undefined ? {} : { token } }],
    contexts: [{ name: instance, context: { cluster: instance, user: 'kairship' } }],
  })
}
