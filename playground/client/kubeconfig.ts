import { stringify } from 'yaml'

/** How to reach a cluster: base64 values as a kubeconfig has them. */
export interface ClusterAccess {
  readonly server: string
  /** Base64 of the PEM; without it the server's certificate is not verified. */
  readonly certificateAuthorityData?: string
  readonly token?: string
  readonly clientCertificateData?: string
  readonly clientKeyData?: string
}

/** Writes a kubeconfig with one cluster, one user and one context. */
export function kubeconfigOf(name: string, access: ClusterAccess): string {
  const { server, certificateAuthorityData, token, clientCertificateData, clientKeyData } = access
  const user = {
    ...(token !== undefined && { token }),
    ...(clientCertificateData !== undefined && { 'client-certificate-data': clientCertificateData }),
    ...(clientKeyData !== undefined && { 'client-key-data': clientKeyData }),
  }
  const trust =
    certificateAuthorityData === undefined
      ? { 'insecure-skip-tls-verify': true }
      : { 'certificate-authority-data': certificateAuthorityData }
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, ...trust } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  })
}

export const toBase64 = (text: string): string => Buffer.from(text).toString('base64')
export const fromBase64 = (data: string): string => Buffer.from(data, 'base64').toString()
