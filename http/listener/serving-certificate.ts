// @peculiar/x509 finds its algorithms through tsyringe, which needs this loaded first.
import 'reflect-metadata'
import { randomBytes, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import * as x509 from '@peculiar/x509'
import { parseAddress } from './address.js'

/** A TLS listener's identity: PEM of the certificate (chain) and of its private key. */
export interface ServingCertificate {
  readonly certificate: string
  readonly key: string
  /** PEM of what a client must trust to verify it; the certificate itself when it is self-signed. */
  readonly certificateAuthority?: string
}

/** The names of a certificate for listeners at these addresses, `host:port`. */
export const servingNames = (addresses: readonly string[]): readonly string[] => [
  ...addresses.map(one => parseAddress(one).host),
  'localhost',
  'kairship',
]

/** How long a generated certificate holds: as long as kube-apiserver's own. */
const VALID_MS = 365 * 24 * 3_600_000

/**
 * Makes a self-signed certificate for these names and addresses, for when none is configured, as kube-apiserver does.
 * ECDSA P-256. `notBefore` lies an hour back, for clients whose clocks are behind.
 */
export async function selfSigned(names: readonly string[], now = Date.now()): Promise<ServingCertificate> {
  x509.cryptoProvider.set(webcrypto as typeof globalThis.crypto)
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: randomBytes(16)
      .toString('hex')
      .replace(/^[89a-f]/, '1'),
    name: 'CN=kairship',
    notBefore: new Date(now - 3_600_000),
    notAfter: new Date(now + VALID_MS),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyCertSign, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map(value => ({ type: isIP(value) ? 'ip' : 'dns', value }) as const),
      ),
    ],
  })
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  const pem = certificate.toString('pem')
  return {
    certificate: pem,
    key: x509.PemConverter.encode(key, 'PRIVATE KEY'),
    certificateAuthority: pem,
  }
}
