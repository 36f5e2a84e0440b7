import { TLSSocket } from 'node:tls'
import type { CertificateSubject } from './authenticate.js'

/** The subject of the client certificate, where TLS verified it against the client CA; what it could not verify is none. */
export function certificateOf(socket: unknown): CertificateSubject | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined
  return socket.getPeerCertificate()?.subject
}
