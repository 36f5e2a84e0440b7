import { stringify } from 'yaml'
import { SYSTEM_NAMESPACE } from '../../../manifests/reserved-namespaces.js'
import type { Call } from '../../call/call.js'
import { internal, invalidFields } from '../../errors/failure.js'
import type { OwnConnection, OwnRequests } from '../../objects/requests/own-requests.js'
import { ensureAccount, type Scope } from './issued-account.js'

/** TokenRequest refuses less than ten minutes. Thirty days are our limit: a token with rights inside must expire. */
const SHORTEST_S = 600
const LONGEST_S = 30 * 24 * 3_600
const DEFAULT_S = 24 * 3_600

/** An issued kubeconfig, as the API answers it. */
export interface IssuedKubeconfig {
  readonly kubeConfigString: string
  readonly instance: string
  readonly expirationTimestamp: string
}

/**
 * Issues a kubeconfig of limited life with these rights inside the instance: a token of a ServiceAccount for each caller and scope.
 * Each step may be repeated. Deleting the ServiceAccount revokes its tokens, and so does deleting the Instance, which removes
 * the role bindings. The instance's audit log distinguishes the callers.
 * @throws Failure INVALID_ARGUMENT for a lifetime that is not allowed; what `OwnRequests` throws
 */
export async function issueKubeconfig(
  ownRequests: OwnRequests,
  instance: string,
  { scope, expirationSeconds }: { readonly scope: Scope; readonly expirationSeconds: number },
  call: Call,
): Promise<IssuedKubeconfig> {
  const seconds = expirationSeconds === 0 ? DEFAULT_S : expirationSeconds
  if (seconds < SHORTEST_S || seconds > LONGEST_S) {
    const description = `is ${expirationSeconds}: it must be ${SHORTEST_S} to ${LONGEST_S} seconds, or 0 for ${DEFAULT_S}`
    throw invalidFields([{ field: 'expirationSeconds', description }])
  }
  const connection = await ownRequests.connect(call, instance)
  const account = await ensureAccount(connection, instance, call.caller.user, scope)
  const { token, expirationTimestamp } = await requestToken(connection, account, seconds)
  const [namespace] = scope === 'cluster-admin' ? [] : scope.namespaces
  return {
    instance,
    expirationTimestamp,
    kubeConfigString: kubeconfig(instance, connection.endpoint, { account, token, namespace }),
  }
}

async function requestToken(
  connection: OwnConnection,
  account: string,
  expirationSeconds: number,
): Promise<{ token: string; expirationTimestamp: string }> {
  const { status } = await connection.request<{
    readonly status?: { readonly token?: unknown; readonly expirationTimestamp?: unknown }
  }>({
    method: 'POST',
    path: `/api/v1/namespaces/${SYSTEM_NAMESPACE}/serviceaccounts/${account}/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds } },
  })
  if (typeof status?.token !== 'string' || status.token === '') {
    throw internal('the control plane answered a TokenRequest without a token')
  }
  const { expirationTimestamp } = status
  return {
    token: status.token,
    expirationTimestamp: typeof expirationTimestamp === 'string' ? expirationTimestamp : '',
  }
}

/** What a kubeconfig holds of its user. */
interface User {
  readonly account: string
  readonly token: string
  /** Where kubectl works unless it is told otherwise. */
  readonly namespace: string | undefined
}

function kubeconfig(
  instance: string,
  { server, certificateAuthority, tlsServerName, insecure }: OwnConnection['endpoint'],
  { account, token, namespace }: User,
): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': instance,
    clusters: [
      {
        name: instance,
        cluster: {
          server,
          ...(certificateAuthority
            ? { 'certificate-authority-data': Buffer.from(certificateAuthority).toString('base64') }
            : {}),
          ...(tlsServerName ? { 'tls-server-name': tlsServerName } : {}),
          ...(insecure ? { 'insecure-skip-tls-verify': true } : {}),
        },
      },
    ],
    users: [{ name: account, user: { token } }],
    contexts: [
      { name: instance, context: { cluster: instance, user: account, ...(namespace && { namespace }) } },
    ],
  })
}
