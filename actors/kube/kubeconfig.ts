import { isAbsolute, resolve } from 'node:path'
import { KubeconfigError } from '../../ports/kube-api.js'
import { type Cluster, readDocument, type User } from './kubeconfig-document.js'

/**
 * A kubeconfig, resolved to the one endpoint and credential its current context names. Files are named, not read: a
 * token file rotates, and who reads it decides when.
 */
export interface Kubeconfig {
  /** Base URL of the API server, without a trailing slash. */
  readonly server: string
  readonly context: string
  /** The context's namespace; `default` when it names none. */
  readonly namespace: string
  readonly tls: ServerTrust
  readonly credential: Credential
}

/** How the server proves itself. */
export interface ServerTrust {
  /** The authorities to trust; the platform's own when absent. */
  readonly ca?: PemSource
  /** The name to verify, where it is not the URL's host. */
  readonly serverName?: string
  /** True only when the kubeconfig says `insecure-skip-tls-verify`. */
  readonly insecure: boolean
}

/** PEM text, or the absolute path of a file that holds it. */
export type PemSource = { readonly pem: string } | { readonly file: string }

/** A command that prints an ExecCredential (client.authentication.k8s.io). */
export interface ExecPlugin {
  readonly apiVersion: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly provideClusterInfo: boolean
  readonly installHint?: string
}

/** How the client proves itself: any combination that kubectl would send. */
export interface Credential {
  readonly certificate?: { readonly cert: PemSource; readonly key: PemSource }
  readonly token?: string
  /** Read again when it may have rotated; wins over `token`. */
  readonly tokenFile?: string
  readonly basic?: { readonly username: string; readonly password: string }
  readonly exec?: ExecPlugin
  /** A legacy auth provider (`oidc`); handed to client-node whole. */
  readonly authProvider?: { readonly name: string; readonly config: Readonly<Record<string, string>> }
  readonly impersonate?: { readonly user: string; readonly groups?: readonly string[] }
}

/** Where a kubeconfig came from, which decides what it may make this process do. */
export interface KubeconfigOrigin {
  /**
   * Whether it may name local files and commands. True for the operator's own kubeconfig; false for one out of a Secret:
   * a writer of Secrets must not thereby read this host's files or run programs on it.
   */
  readonly local: boolean
  /** The folder that relative file names refer to. */
  readonly folder?: string
}

/**
 * Reads the text of a kubeconfig (YAML or JSON) and resolves a context of it.
 * @throws KubeconfigError naming the part that is wrong. The message never quotes a value, which might be a secret; it quotes
 *   the names of contexts, clusters and users, but not those of a kubeconfig out of a Secret
 */
export const parseKubeconfig = (text: string, origin: KubeconfigOrigin, context?: string): Kubeconfig =>
  mergeKubeconfigs([{ text, ...origin }], context)

/**
 * Reads several kubeconfigs as one, as `KUBECONFIG=a:b` means it: the first file that names a thing defines it.
 * @throws as parseKubeconfig
 */
export function mergeKubeconfigs(
  files: readonly (KubeconfigOrigin & { readonly text: string })[],
  contextName?: string,
): Kubeconfig {
  const documents = files.map(file => ({ file, document: readDocument(file.text) }))
  const name = contextName ?? documents.map(({ document }) => document['current-context']).find(Boolean)
  if (!name) throw new KubeconfigError('kubeconfig: current-context is not set')
  const find = <K extends 'clusters' | 'users' | 'contexts'>(key: K, wanted: string) => {
    for (const { file, document } of documents) {
      const found = document[key]?.find(each => each.name === wanted)
      if (found)
        return { found: found as NonNullable<(typeof document)[K]>[number], read: reader(file), origin: file }
    }
    const at = label(key, wanted, { local: files.every(({ local }) => local) })
    throw new KubeconfigError(`kubeconfig: ${at} is referred to but not defined`)
  }
  const { context } = find('contexts', name).found
  const {
    found: { cluster },
    read,
    origin,
  } = find('clusters', context.cluster)
  const at = label('clusters', context.cluster, origin)
  return {
    server: serverUrl(cluster, at),
    context: name,
    namespace: context.namespace ?? 'default',
    tls: trust(cluster, at, read),
    credential: context.user ? credentialOf(find('users', context.user)) : {},
  }
}

/** How a message calls a context, a cluster or a user: by its name, or by its part where nothing of the text may be shown. */
function label(key: 'clusters' | 'users' | 'contexts', name: string, { local }: KubeconfigOrigin): string {
  if (local) return `${key.slice(0, -1)} "${name}"`
  return key === 'contexts' ? 'the current context' : `the ${key.slice(0, -1)} of the current context`
}

function serverUrl(cluster: Cluster, label: string): string {
  const at = `kubeconfig: ${label}`
  let url: URL
  try {
    url = new URL(cluster.server)
  } catch {
    throw new KubeconfigError(`${at}: server is not a URL`)
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new KubeconfigError(`${at}: server must be an http or https URL`)
  if (url.username || url.password)
    throw new KubeconfigError(`${at}: server must not carry a user name or password`)
  if (cluster['proxy-url'])
    throw new KubeconfigError(`${at}: proxy-url is not supported; let Kairship reach the server directly`)
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

function trust(cluster: Cluster, at: string, read: Reader): ServerTrust {
  const insecure = cluster['insecure-skip-tls-verify'] ?? false
  const ca = read.pem(
    `${at}: certificate-authority`,
    cluster['certificate-authority-data'],
    cluster['certificate-authority'],
  )
  if (insecure && ca)
    throw new KubeconfigError(
      `kubeconfig: ${at}: insecure-skip-tls-verify and a certificate authority exclude each other`,
    )
  const serverName = cluster['tls-server-name']
  return { insecure, ...(ca && { ca }), ...(serverName && { serverName }) }
}

interface FoundUser {
  readonly found: { readonly name: string; readonly user?: User | null | undefined }
  readonly read: Reader
  readonly origin: KubeconfigOrigin
}

function credentialOf({ found, read, origin }: FoundUser): Credential {
  const user = found.user ?? {}
  const at = label('users', found.name, origin)
  const cert = read.pem(
    `${at}: client-certificate`,
    user['client-certificate-data'],
    user['client-certificate'],
  )
  const key = read.pem(`${at}: client-key`, user['client-key-data'], user['client-key'])
  if (Boolean(cert) !== Boolean(key))
    throw new KubeconfigError(`kubeconfig: ${at}: client-certificate and client-key go together`)
  if ((user.exec || user['auth-provider']) && !origin.local)
    throw new KubeconfigError(
      `kubeconfig: ${at}: exec and auth-provider are not allowed here; use a client certificate or a token`,
    )
  if (user['as-uid'] || user['as-user-extra'] || (user['as-groups'] && !user.as))
    throw new KubeconfigError(`kubeconfig: ${at}: of impersonation only as and as-groups are supported`)
  const tokenFile = user.tokenFile ? read.path(`${at}: tokenFile`, user.tokenFile) : undefined
  const provider = user['auth-provider']
  return {
    ...(cert && key && { certificate: { cert, key } }),
    ...(user.token && { token: user.token }),
    ...(tokenFile && { tokenFile }),
    ...(user.username && { basic: { username: user.username, password: user.password ?? '' } }),
    ...(user.exec && { exec: execPlugin(user.exec) }),
    ...(provider && { authProvider: { name: provider.name, config: provider.config ?? {} } }),
    ...(user.as && {
      impersonate: { user: user.as, ...(user['as-groups'] && { groups: user['as-groups'] }) },
    }),
  }
}

const execPlugin = (exec: NonNullable<User['exec']>): ExecPlugin => ({
  apiVersion: exec.apiVersion,
  command: exec.command,
  args: exec.args ?? [],
  env: exec.env ?? [],
  provideClusterInfo: exec.provideClusterInfo ?? false,
  ...(exec.installHint && { installHint: exec.installHint }),
})

interface Reader {
  pem(what: string, data: string | undefined, file: string | undefined): PemSource | undefined
  path(what: string, file: string): string
}

/** Turns `…-data` and file references into sources; data wins over a file, as in client-go. */
function reader(origin: KubeconfigOrigin): Reader {
  const path = (what: string, file: string): string => {
    if (!origin.local)
      throw new KubeconfigError(
        `kubeconfig: ${what}: names a local file, which is not allowed here; embed the data`,
      )
    return isAbsolute(file) ? file : resolve(origin.folder ?? '.', file)
  }
  const pem = (what: string, data: string | undefined, file: string | undefined): PemSource | undefined => {
    if (!data) return file ? { file: path(what, file) } : undefined
    const text = Buffer.from(data, 'base64').toString('utf8')
    if (!text.includes('-----BEGIN '))
      throw new KubeconfigError(`kubeconfig: ${what}-data is not base64 of PEM`)
    return { pem: text }
  }
  return { pem, path }
}
