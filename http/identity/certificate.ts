import { TLSSocket } from 'node:tls'
import type { CallerCredential } from './caller.js'

/** The parts of a certificate's subject that Kubernetes reads: CN is the user, each O a group. */
export interface CertificateSubject {
  readonly CN?: string | string[]
  readonly O?: string | string[]
}

/** What is read of a client certificate that TLS verified. */
export interface ClientCertificate {
  readonly subject?: CertificateSubject
  /** As OpenSSL writes it: `Nov 24 13:00:00 2026 GMT`. */
  readonly valid_to?: string
  /** `AB:CD:…` */
  readonly fingerprint256?: string
}

/** The subject of the client certificate, where TLS verified it against the client CA; an unverified one does not count. */
export function certificateOf(socket: unknown): CertificateSubject | undefined {
  if (!(socket instanceof TLSSocket)) return ofWorkers.get(socket as object)
  const known = subjects.get(socket)
  if (known) return known
  const subject = subjectOf(verifiedCertificate(socket))
  if (subject) subjects.set(socket, subject)
  return subject
}

/** What is read of the client certificate on a connection, where TLS verified it against the client CA. */
export function verifiedCertificate(socket: unknown): ClientCertificate | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined
  const { subject, valid_to, fingerprint256 } = socket.getPeerCertificate()
  return { subject, valid_to, fingerprint256 }
}

/** Notes whose certificate a worker has verified on a connection, whose bytes come here without TLS (`http/workers/`). */
export function verifiedByWorker(connection: object, certificate: ClientCertificate | undefined): void {
  const subject = subjectOf(certificate)
  if (subject) ofWorkers.set(connection, subject)
}

const ofWorkers = new WeakMap<object, CertificateSubject>()

/** A connection shows its certificate once (renegotiation is off), and reading it costs more than all else of a request. */
const subjects = new WeakMap<TLSSocket, CertificateSubject>()

/** The subject of a verified certificate. The rest of the certificate is found by it. */
export function subjectOf(certificate: ClientCertificate | undefined): CertificateSubject | undefined {
  const subject = certificate?.subject
  if (subject) certificates.set(subject, certificate)
  return subject
}

const certificates = new WeakMap<CertificateSubject, ClientCertificate>()

/** What is known of the certificate of a subject. */
export function certificateCredential(subject: CertificateSubject): CallerCredential {
  const { valid_to, fingerprint256 } = certificates.get(subject) ?? {}
  // As Kubernetes names a certificate in the extra `authentication.kubernetes.io/credential-id`.
  const id = fingerprint256 && `X509SHA256=${fingerprint256.replaceAll(':', '').toLowerCase()}`
  const expiresAt = Date.parse(valid_to ?? '')
  return { ...(id && { id }), ...(Number.isFinite(expiresAt) && { expiresAt }) }
}
