import { experimental, type ServerCredentials } from '@grpc/grpc-js'
import type { ServingCertificate } from '../listener/serving-certificate.js'

/**
 * Server TLS that requests a client certificate and does not require it, since a token serves as well. grpc-js' `createSsl` can
 * only require one; its (experimental) certificate providers can make it optional.
 */
export function serverCredentials(
  { certificate, key }: ServingCertificate,
  clientCertificateAuthority: string | undefined,
): ServerCredentials {
  const nothing = () => undefined
  const update = { certificate: Buffer.from(certificate), privateKey: Buffer.from(key) }
  // In a later microtask: grpc-js drops every connection if the listener is called while it subscribes.
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
