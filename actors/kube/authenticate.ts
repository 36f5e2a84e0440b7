import { stat } from 'node:fs/promises'
import { execCredential } from './exec-credential.js'
import type { Credential, Kubeconfig, PemSource } from './kubeconfig.js'
import { readPem, readText } from './pem.js'
import type { Authenticator, Proof } from './proof.js'

/** How long a file that may rotate is trusted without looking again; client-go re-reads token files after 10 s. */
const FILE_FRESH_MS = 10_000

/** Builds the authenticator for a kubeconfig's credential, in client-go's order of precedence: plugin, then token, then basic. */
export function authenticator(config: Kubeconfig): Authenticator {
  const { credential } = config
  if (credential.exec) return execCredential(config, credential.exec)
  if (credential.authProvider) return authProvider(config, credential.authProvider)
  return credential.tokenFile || isFile(credential.certificate?.cert) || isFile(credential.certificate?.key)
    ? fromFiles(credential)
    : constant(credential)
}

const isFile = (source: PemSource | undefined): boolean => source !== undefined && 'file' in source

const basic = ({ username, password }: { username: string; password: string }): string =>
  `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`

const authorization = (credential: Credential, token: string | undefined): { authorization?: string } =>
  token
    ? { authorization: `Bearer ${token}` }
    : credential.basic
      ? { authorization: basic(credential.basic) }
      : {}

/** Everything is in the kubeconfig itself. */
function constant(credential: Credential): Authenticator {
  const { certificate, token } = credential
  const proof: Proof = {
    ...authorization(credential, token),
    ...(certificate &&
      'pem' in certificate.cert &&
      'pem' in certificate.key && { cert: certificate.cert.pem, key: certificate.key.pem }),
  }
  return { proof: () => proof, refused: () => undefined }
}

/** A token or certificate in files that are rotated: read again every 10 s, and at once after a 401. */
function fromFiles(credential: Credential): Authenticator {
  let known: { readonly proof: Promise<Proof>; readonly at: number; readonly version: string } | undefined
  const files = [
    credential.tokenFile,
    fileOf(credential.certificate?.cert),
    fileOf(credential.certificate?.key),
  ]
  const version = async (): Promise<string> =>
    (await Promise.all(files.map(async file => (file ? `${(await stat(file)).mtimeMs}` : '')))).join()

  const load = async (): Promise<Proof> => {
    const { certificate, tokenFile, token } = credential
    const read = tokenFile ? (await readText(tokenFile)).trim() : token
    return {
      ...authorization(credential, read),
      ...(certificate && { cert: await readPem(certificate.cert), key: await readPem(certificate.key) }),
    }
  }
  return {
    async proof() {
      const now = Date.now()
      if (known && now - known.at < FILE_FRESH_MS) return known.proof
      const seen = await version().catch(() => '')
      // A file that is missing for a moment (an atomic swap) does not unmake the proof that was read before.
      if (known && (seen === '' || seen === known.version)) known = { ...known, at: now }
      else known = { proof: load(), at: now, version: seen }
      const current = known
      return current.proof.catch(error => {
        if (known === current) known = undefined
        throw error
      })
    },
    refused() {
      known = undefined
    },
  }
}

const fileOf = (source: PemSource | undefined): string | undefined =>
  source && 'file' in source ? source.file : undefined

/**
 * Legacy auth providers (`oidc`) are client-node's. Its whole tree (80 MB, about a second) is loaded only when a
 * kubeconfig asks for one.
 */
function authProvider(
  config: Kubeconfig,
  provider: { readonly name: string; readonly config: Readonly<Record<string, string>> },
): Authenticator {
  const client = import('@kubernetes/client-node').then(({ KubeConfig }) => {
    const kubeConfig = new KubeConfig()
    kubeConfig.loadFromOptions({
      clusters: [{ name: 'cluster', server: config.server, skipTLSVerify: config.tls.insecure }],
      users: [{ name: 'user', authProvider: { name: provider.name, config: { ...provider.config } } }],
      contexts: [{ name: 'context', cluster: 'cluster', user: 'user' }],
      currentContext: 'context',
    })
    return kubeConfig
  })
  client.catch(() => undefined) // surfaces from proof()
  return {
    async proof() {
      const options: { headers: Record<string, string> } = { headers: {} }
      await (await client).applyToHTTPSOptions(options as never)
      const value = options.headers.Authorization
      return value ? { authorization: value } : {}
    },
    refused: () => undefined,
  }
}
