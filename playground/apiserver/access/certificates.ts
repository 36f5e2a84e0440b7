import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign as signBytes,
  X509Certificate,
} from 'node:crypto'
import { isIP } from 'node:net'
import {
  bits,
  boolean,
  type Der,
  explicit,
  implicit,
  integer,
  octets,
  oid,
  pem,
  sequence,
  set,
  time,
  utf8,
} from './der.js'

const DAY = 86_400_000
/** Certificates are backdated so that a client whose clock runs a little behind accepts them. */
const BACKDATED = 5 * 60_000

/** The collection of what asks for a certificate: a CertificateSigningRequest. */
export const SIGNING_REQUESTS = 'certificatesigningrequests.certificates.k8s.io'

/** A certificate with its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

/** Whom a client certificate names: Kubernetes reads the user from CN and the groups from O. */
export interface ClientSubject {
  readonly name: string
  readonly groups: readonly string[]
}

/** One logical cluster's certificate authority: signs its serving certificate and its clients' certificates. */
export interface CertificateAuthority {
  /** The CA's certificate, PEM. */
  readonly certificate: string
  /** Certificate and private key, for keeping across a restart. */
  readonly keyPair: KeyPair
  /** For a listener reachable as localhost and 127.0.0.1; valid for a year. */
  issueServing(names?: readonly string[]): KeyPair
  /** @param seconds validity, a year by default */
  issueClient(subject: ClientSubject, seconds?: number): KeyPair
  /** Certifies the public key of another (SPKI DER) for client use, as the signer kube-apiserver-client does. */
  certifyClient(publicKey: Buffer, subject: ClientSubject, seconds?: number): string
}

const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'))
const COMMON_NAME = oid('2.5.4.3')
const ORGANIZATION = oid('2.5.4.10')

/** A distinguished name: the groups first, then the common name, each a set of its own. */
const distinguishedName = (name: string, groups: readonly string[] = []): Der =>
  sequence(
    ...groups.map(group => set(sequence(ORGANIZATION, utf8(group)))),
    set(sequence(COMMON_NAME, utf8(name))),
  )

const extension = (id: string, critical: boolean, content: Der): Der =>
  sequence(oid(id), ...(critical ? [boolean(true)] : []), octets(content))

const authorityConstraints = extension('2.5.29.19', true, sequence(boolean(true)))
const leafConstraints = extension('2.5.29.19', true, sequence())
/** digitalSignature, keyCertSign, cRLSign; leaves have the first alone. */
const authorityUsage = extension('2.5.29.15', true, bits(Buffer.from([0b1000_0110]), 1))
const leafUsage = extension('2.5.29.15', true, bits(Buffer.from([0b1000_0000]), 7))
const serverUse = extension('2.5.29.37', false, sequence(oid('1.3.6.1.5.5.7.3.1')))
const clientUse = extension('2.5.29.37', false, sequence(oid('1.3.6.1.5.5.7.3.2')))
const subjectKey = (identifier: Buffer): Der => extension('2.5.29.14', false, octets(identifier))
const authorityKey = (identifier: Buffer): Der =>
  extension('2.5.29.35', false, sequence(implicit(0, identifier)))

/** DNS names and IP addresses. */
function alternativeNames(names: readonly string[]): Der {
  const members = names.map(name =>
    isIP(name) ? implicit(7, addressBytes(name)) : implicit(2, Buffer.from(name)),
  )
  return extension('2.5.29.17', false, sequence(...members))
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string) =>
    text === '' ? [] : text.split(':').map(group => Number.parseInt(group, 16))
  const [before, after] = [groups(head), groups(tail)]
  const all = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
  return Buffer.from(all.flatMap(group => [group >> 8, group & 0xff]))
}

interface Content {
  readonly issuer: Der
  readonly subject: Der
  readonly milliseconds: number
  /** SPKI, DER. */
  readonly publicKey: Buffer
  readonly extensions: readonly Der[]
}

/** An X.509 v3 certificate (RFC 5280), PEM. */
function certificate(
  { issuer, subject, milliseconds, publicKey, extensions }: Content,
  key: KeyObject,
): string {
  const now = Date.now()
  const content = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_SHA256,
    issuer,
    sequence(time(now - BACKDATED), time(now + milliseconds)),
    subject,
    publicKey,
    explicit(3, sequence(...extensions)),
  )
  return pem('CERTIFICATE', sequence(content, ECDSA_SHA256, bits(signBytes('sha256', content, key))))
}

interface Keys {
  readonly privateKey: KeyObject
  readonly publicKey: Buffer
}

function generateKeys(): Keys {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { privateKey, publicKey: publicKey.export({ format: 'der', type: 'spki' }) }
}

const privatePem = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }) as string

/** RFC 5280 4.2.1.2 method 1. An uncompressed P-256 point is the last 65 bytes of its SPKI. */
const identifierOf = (publicKey: Buffer): Buffer =>
  createHash('sha1').update(publicKey.subarray(-65)).digest()

/** Makes a fresh authority. `name` should differ between clusters: TLS stacks find issuers by name. */
export function createAuthority(name: string): CertificateAuthority {
  const keys = generateKeys()
  const self = distinguishedName(name)
  const own = certificate(
    {
      issuer: self,
      subject: self,
      milliseconds: 3650 * DAY,
      publicKey: keys.publicKey,
      extensions: [authorityConstraints, authorityUsage, subjectKey(identifierOf(keys.publicKey))],
    },
    keys.privateKey,
  )
  return authority(name, own, keys)
}

/** Takes up an authority that was kept. @throws when the PEMs are no P-256 certificate and key */
export function loadAuthority(kept: KeyPair): CertificateAuthority {
  const parsed = new X509Certificate(kept.certificate)
  const privateKey = createPrivateKey(kept.key)
  if (!parsed.checkPrivateKey(privateKey))
    throw new Error('the kept CA certificate and key do not belong together')
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return authority(parsed.subject.replace(/^CN=/, ''), kept.certificate, { privateKey, publicKey })
}

function authority(name: string, own: string, keys: Keys): CertificateAuthority {
  const issuer = distinguishedName(name)
  const signedBy = authorityKey(identifierOf(keys.publicKey))
  const issue = (subject: Der, publicKey: Buffer, milliseconds: number, ...extensions: readonly Der[]) =>
    certificate(
      {
        issuer,
        subject,
        milliseconds,
        publicKey,
        extensions: [leafConstraints, leafUsage, signedBy, ...extensions],
      },
      keys.privateKey,
    )
  const certifyClient: CertificateAuthority['certifyClient'] = (publicKey, subject, seconds = 365 * 86_400) =>
    issue(distinguishedName(subject.name, subject.groups), publicKey, seconds * 1000, clientUse)

  return {
    certificate: own,
    get keyPair() {
      return { certificate: own, key: privatePem(keys.privateKey) }
    },
    issueServing(names = ['localhost', '127.0.0.1', '::1']) {
      const pair = generateKeys()
      const subject = distinguishedName('kube-apiserver')
      return {
        certificate: issue(subject, pair.publicKey, 365 * DAY, serverUse, alternativeNames(names)),
        key: privatePem(pair.privateKey),
      }
    },
    issueClient(subject, seconds) {
      const pair = generateKeys()
      return {
        certificate: certifyClient(pair.publicKey, subject, seconds),
        key: privatePem(pair.privateKey),
      }
    },
    certifyClient,
  }
}
