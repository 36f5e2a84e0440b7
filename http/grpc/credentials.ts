import { experimental, type ServerCredentials } from '@grpc/grpc-js'
import type { ServingCertificate } from '../serving-certificate.js'

/**
 * Server TLS that asks for a client certificate without demanding one: tokens are the other way in. grpc-js'
 * `createSsl` can only demand; its certificate providers are the (experimental) way to say "optional".
 */
export function serverCredentials(
  { certificate, key }: ServingCertificate,
  clientCertificateAuthority: string | undefined,
): ServerCredentials {
  const nothing = () => undefined
  const update = { certificate: Buffer.from(certificate), privateKey: Buffer.from(key) }
  // Told a moment later: grpc-js drops every connection when it is told while it is still subscribing.
  const identity: experimental.CertificateProvider = {
    addIdentityCertificateListener: listener => queueMicrotask(() => listener(update)),
    removeIdentityCertificateListener: nothing,
    addCaCertificateListener: listener =>
      queueMicrotask(() =>
        listener(
          clientCertificateAuthority ? { caCertificate: Buffer.from(clientCertificateAuthority) } : null,
        ),
      ),
    removeCaCertificateListener: nothing,
  }
  return experimental.createCertificateProviderServerCredentials(
    identity,
    clientCertificateAuthority ? identity : null,
    false,
  )
}
