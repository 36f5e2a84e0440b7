// @peculiar/x509 finds its algorithms through tsyringe, which needs this polyfill to be loaded first.
import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import {
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

type KeyPair = webcrypto.CryptoKeyPair

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const dayMs = 86_400_000

/** A certificate and its private key, both PEM. */
export interface CertificateAndKey {
  readonly certificate: string
  readonly key: string
}

/** What a leaf certificate says. */
export interface LeafSubject {
  readonly commonName: string
  /** Kubernetes reads these as groups. */
  readonly organizations?: readonly string[]
  /** DNS names and IP addresses a server answers to. */
  readonly hosts?: readonly string[]
}

/** A certificate authority that lives as long as one run of the stack. */
export class CertificateAuthority {
  private constructor(
    private readonly root: X509Certificate,
    private readonly keys: KeyPair,
    /** The root certificate, PEM. */
    readonly certificate: string,
    /** The root's private key, PEM; kube-controller-manager signs requests with it. */
    readonly key: string,
  ) {}

  static async create(name: string): Promise<CertificateAuthority> {
    cryptoProvider.set(webcrypto)
    const keys = await newKeys()
    const root = await X509CertificateGenerator.createSelfSigned({
      serialNumber: serial(),
      name: `CN=${name}`,
      ...validity(),
      keys: keys,
      signingAlgorithm: algorithm,
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(
          KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature,
          true,
        ),
      ],
    })
    return new CertificateAuthority(root, keys, root.toString('pem'), await privateKeyPem(keys))
  }

  /** Issues a certificate that serves as client and as server. */
  async issue({ commonName, organizations = [], hosts = [] }: LeafSubject): Promise<CertificateAndKey> {
    const keys = await newKeys()
    const extensions = [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth, ExtendedKeyUsage.serverAuth]),
      ...(hosts.length > 0
        ? [
            new SubjectAlternativeNameExtension(
              hosts.map(value => ({ type: isIP(value) > 0 ? ('ip' as const) : ('dns' as const), value })),
            ),
          ]
        : []),
    ]
    const leaf = await X509CertificateGenerator.create({
      serialNumber: serial(),
      subject: [{ CN: [commonName] }, ...organizations.map(organization => ({ O: [organization] }))],
      issuer: this.root.subject,
      ...validity(),
      publicKey: keys.publicKey,
      signingKey: this.keys.privateKey,
      signingAlgorithm: algorithm,
      extensions,
    })
    return { certificate: leaf.toString('pem'), key: await privateKeyPem(keys) }
  }
}

/** A key pair in PEM, as the signing key of an API server's service-account tokens. */
export async function createSigningKeys(): Promise<{
  readonly privateKey: string
  readonly publicKey: string
}> {
  const keys = await newKeys()
  const spki = await webcrypto.subtle.exportKey('spki', keys.publicKey)
  return { privateKey: await privateKeyPem(keys), publicKey: PemConverter.encode(spki, 'PUBLIC KEY') }
}

function newKeys(): Promise<KeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<KeyPair>
}

async function privateKeyPem(keys: KeyPair): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')
}

/** Valid from a day ago, against clocks that differ, for a month. */
function validity(): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + 30 * dayMs) }
}

/** A random positive serial number, hexadecimal. */
function serial(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(12))
  return `4${Buffer.from(bytes).toString('hex').slice(1)}`
}
