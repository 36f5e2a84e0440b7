import { TLSSocket } from 'node:tls'
import type { CertificateSubject } from './authenticate.js'

/** The subject of the client certificate, where TLS verified it against the client CA; an unverified one does not count. */
export function certificateOf(socket: unknown): CertificateSubject | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined
  const known = subjects.get(socket)
  if (known) return known
  const { subject } = socket.getPeerCertificate()
  if (subject) subjects.set(socket, subject)
  return subject
}

/** A connection shows its certificate once (renegotiation is off), and reading it costs more than all else of a request. */
const subjects = new WeakMap<TLSSocket, CertificateSubject>()
