import { stringify } from 'yaml'
import type { KeyPair } from './certificates.js'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** How a kubeconfig proves who is asking. */
export type Credential = { readonly clientCertificate: KeyPair } | { readonly token: string }

/** A kubeconfig with everything in it, no files beside it. @param name of the context, its cluster and (before @) its user */
export function kubeconfigFor(
  cluster: { readonly name: string; readonly server: string; readonly certificateAuthority: string },
  user: string,
  credential: Credential,
): string {
  const auth =
    'token' in credential
      ? { token: credential.token }
      : {
          'client-certificate-data': base64(credential.clientCertificate.certificate),
          'client-key-data': base64(credential.clientCertificate.key),
        }
  const context = `${user}@${cluster.name}`
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: cluster.name,
        cluster: {
          server: cluster.server,
          'certificate-authority-data': base64(cluster.certificateAuthority),
        },
      },
    ],
    users: [{ name: user, user: auth }],
    contexts: [{ name: context, context: { cluster: cluster.name, user } }],
    'current-context': context,
  })
}
