import { createHash } from 'node:crypto'
import { stringify } from 'yaml'
import { isAlreadyExists } from '../../../manifests/status-error.js'
import type { Call } from '../../call.js'
import { internal, invalidFields } from '../../failure.js'
import type { OwnConnection, OwnRequests } from '../../objects/own-requests.js'

/** TokenRequest refuses less than ten minutes. Thirty days are our limit: an admin's token must expire. */
const SHORTEST_S = 600
const LONGEST_S = 30 * 24 * 3_600
const DEFAULT_S = 24 * 3_600
/** Where Kairship keeps what it needs inside a control plane. */
const NAMESPACE = 'kairship-system'

/** An issued kubeconfig, as the API answers it. */
export interface AdminKubeconfig {
  readonly kubeConfigString: string
  readonly instance: string
  readonly expirationTimestamp: string
}

/**
 * Issues a kubeconfig with cluster-admin rights inside the instance: a ServiceAccount per asking user, bound to
 * cluster-admin, and a token of limited life for it. Each step may be repeated. Deleting the ServiceAccount revokes all
 * tokens of that user. The instance's audit log distinguishes the users.
 * @throws Failure INVALID_ARGUMENT for a lifetime that is not allowed; what `OwnRequests` throws
 */
export async function issueAdminKubeconfig(
  ownRequests: OwnRequests,
  instance: string,
  expirationSeconds: number,
  call: Call,
): Promise<AdminKubeconfig> {
  const seconds = expirationSeconds === 0 ? DEFAULT_S : expirationSeconds
  if (seconds < SHORTEST_S || seconds > LONGEST_S) {
    const description = `is ${expirationSeconds}: it must be ${SHORTEST_S} to ${LONGEST_S} seconds, or 0 for ${DEFAULT_S}`
    throw invalidFields([{ field: 'expirationSeconds', description }])
  }
  const connection = await ownRequests.connect(call, instance)
  const user = createHash('sha256').update(call.caller.user).digest('hex').slice(0, 12)
  const account = `kairship-admin-${user}`
  await ensureAccount(connection, instance, account, call)
  const { token, expirationTimestamp } = await requestToken(connection, account, seconds)
  return {
    instance,
    expirationTimestamp,
    kubeConfigString: kubeconfig(instance, account, connection.endpoint, token),
  }
}

async function ensureAccount(
  connection: OwnConnection,
  instance: string,
  account: string,
  call: Call,
): Promise<void> {
  const metadata = (name: string) => ({
    name,
    labels: { 'app.kubernetes.io/managed-by': 'kairship', 'kairship.io/instance': instance },
    annotations: { 'kairship.io/issued-to': call.caller.user },
  })
  await ensure(connection, '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAMESPACE, labels: { 'app.kubernetes.io/managed-by': 'kairship' } },
  })
  await ensure(connection, `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: metadata(account),
  })
  await ensure(connection, '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: metadata(account),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace: NAMESPACE }],
  })
}

async function ensure(connection: OwnConnection, path: string, body: unknown): Promise<void> {
  try {
    await connection.request({ method: 'POST', path, body })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
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
    path: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${account}/token`,
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

function kubeconfig(
  instance: string,
  user: string,
  { server, certificateAuthority, tlsServerName, insecure }: OwnConnection['endpoint'],
  token: string,
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
    users: [{ name: user, user: { token } }],
    contexts: [{ name: instance, context: { cluster: instance, user } }],
  })
}
