import type { KubeApi } from '../../ports/kube-api.js'

/** How an endpoint is reached, as a kubeconfig without a credential: a worker sends under a token that it is given. */
export const endpointKubeconfig = ({
  server,
  insecure,
  certificateAuthority,
  tlsServerName,
}: Pick<KubeApi, 'server' | 'insecure' | 'certificateAuthority' | 'tlsServerName'>): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'endpoint',
    contexts: [{ name: 'endpoint', context: { cluster: 'endpoint', user: 'endpoint' } }],
    users: [{ name: 'endpoint', user: {} }],
    clusters: [
      {
        name: 'endpoint',
        cluster: {
          server,
          ...(insecure && { 'insecure-skip-tls-verify': true }),
          ...(certificateAuthority !== undefined && {
            'certificate-authority-data': Buffer.from(certificateAuthority).toString('base64'),
          }),
          ...(tlsServerName !== undefined && { 'tls-server-name': tlsServerName }),
        },
      },
    ],
  })
