import { execFile } from 'node:child_process'
import { z } from 'zod'
import { KubeconfigError } from '../../ports/kube-api.js'
import type { ExecPlugin, Kubeconfig } from './kubeconfig.js'
import { readPem } from './pem.js'
import type { Authenticator, Proof } from './proof.js'

/**
 * Runs a kubeconfig's credential plugin (client.authentication.k8s.io ExecCredential) and keeps what it printed until it
 * expires or is refused. Ours and not client-node's, which runs the command once per concurrent caller, gives it no
 * KUBERNETES_EXEC_INFO, never times out, and keeps a credential without expiry although the server refuses it.
 */

/** A plugin may open a browser or ask a slow identity provider, but not for ever. */
const PLUGIN_TIMEOUT_MS = 60_000
/** A credential this close to its end is replaced first, so that the request still arrives with a valid one. */
const EXPIRY_MARGIN_MS = 10_000

const execCredentialSchema = z.object({
  kind: z.literal('ExecCredential'),
  apiVersion: z.string(),
  status: z.object({
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
    expirationTimestamp: z.string().optional(),
  }),
})

/** @throws KubeconfigError (from `proof`) when the command fails or prints something else; its output is not quoted */
export function execCredential(config: Kubeconfig, plugin: ExecPlugin): Authenticator {
  let known: { readonly proof: Promise<Proof>; expires: number } | undefined
  return {
    proof() {
      if (known && Date.now() < known.expires - EXPIRY_MARGIN_MS) return known.proof
      const entry: { proof: Promise<Proof>; expires: number } = {
        expires: Number.POSITIVE_INFINITY,
        proof: runPlugin(config, plugin).then(
          status => {
            if (status.expirationTimestamp) entry.expires = Date.parse(status.expirationTimestamp)
            return proofOf(status)
          },
          error => {
            if (known === entry) known = undefined
            throw error
          },
        ),
      }
      known = entry
      return entry.proof
    },
    refused() {
      known = undefined
    },
  }
}

type ExecStatus = z.infer<typeof execCredentialSchema>['status']

const proofOf = (status: ExecStatus): Proof => ({
  ...(status.token && { authorization: `Bearer ${status.token}` }),
  ...(status.clientCertificateData &&
    status.clientKeyData && { cert: status.clientCertificateData, key: status.clientKeyData }),
})

async function runPlugin(config: Kubeconfig, plugin: ExecPlugin): Promise<ExecStatus> {
  const at = `kubeconfig: exec "${plugin.command}"`
  const printed = await run(plugin, await environment(config, plugin)).catch(
    (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'ENOENT' ? `not found. ${plugin.installHint ?? ''}`.trim() : 'failed'
      throw new KubeconfigError(`${at}: ${why}`, { cause })
    },
  )
  const parsed = execCredentialSchema.safeParse(parseJson(printed))
  if (!parsed.success) throw new KubeconfigError(`${at}: did not print an ExecCredential`)
  if (parsed.data.apiVersion !== plugin.apiVersion)
    throw new KubeconfigError(
      `${at}: printed ${parsed.data.apiVersion} where ${plugin.apiVersion} is configured`,
    )
  const { status } = parsed.data
  if (!status.token && !(status.clientCertificateData && status.clientKeyData))
    throw new KubeconfigError(`${at}: printed neither a token nor a certificate with its key`)
  return status
}

const run = (plugin: ExecPlugin, env: NodeJS.ProcessEnv): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { env, timeout: PLUGIN_TIMEOUT_MS, maxBuffer: 1 << 20, encoding: 'utf8' as const }
    const child = execFile(plugin.command, [...plugin.args], options, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    )
    child.stdin?.end()
  })

async function environment(config: Kubeconfig, plugin: ExecPlugin): Promise<NodeJS.ProcessEnv> {
  const { server, tls } = config
  const cluster = plugin.provideClusterInfo && {
    server,
    ...(tls.serverName && { 'tls-server-name': tls.serverName }),
    ...(tls.insecure && { 'insecure-skip-tls-verify': true }),
    ...(tls.ca && { 'certificate-authority-data': Buffer.from(await readPem(tls.ca)).toString('base64') }),
  }
  const info = {
    apiVersion: plugin.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(cluster && { cluster }) },
  }
  const own = Object.fromEntries(plugin.env.map(({ name, value }) => [name, value]))
  return { ...process.env, ...own, KUBERNETES_EXEC_INFO: JSON.stringify(info) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
