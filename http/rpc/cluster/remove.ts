import { setTimeout as pause } from 'node:timers/promises'
import { executionNamespace } from '../../../karmada/names.js'
import type { Cluster } from '../../../karmada/objects/cluster.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { isForbidden, isNotFound } from '../../../manifests/status-error.js'
import { deadline } from '../../../ports/cancellation.js'
import { ClusterPhase } from '../../../proto/gen/kairship/cluster_pb.js'
import type { Call } from '../../call/call.js'
import { failedPrecondition } from '../../errors/failure.js'
import { toFailure } from '../../errors/to-failure.js'
import type { Objects } from '../../objects/objects.js'
import { tried } from '../kind/dry-run.js'
import { CLUSTER, SECRET, WORK } from '../kind/object-types.js'
import { phaseOf } from './cluster.js'
import { ClusterApi } from './cluster-api.js'
import { type ConnectToCluster, connectToCluster, tokenKubeconfig } from './kubeconfig.js'
import { accessNames } from './member-access.js'
import { revokeAccess } from './revoke.js'

/** How long the Cluster has to go, milliseconds. A call has a minute, and the member's side comes after. */
const GONE_MS = 35_000
const GONE_POLL_MS = 250
/** How long clearing the member's side may take as a whole, milliseconds. */
const REVOKE_MS = 15_000

/** Which member leaves which instance. */
interface Leaving {
  readonly instance: string
  readonly name: string
  /** Everything is checked and nothing is deleted. */
  readonly dryRun?: boolean
}

/**
 * Takes a Push member out, as `karmadactl unjoin` does: its Cluster first, with which Karmada takes its workloads out of the
 * member, then Karmada's access, by the credential that Karmada had there.
 * @param goneMs how long the Cluster has to go, milliseconds
 * @returns what is left in the member, one sentence each; of a dry run what would be, as far as it is known before
 * @throws Failure FAILED_PRECONDITION for a Pull member, and ClusterTerminating for a Cluster that does not go in time, with
 * what keeps it: the same call again waits on
 */
export async function removeCluster(
  objects: Objects,
  connect: ConnectToCluster,
  call: Call,
  { instance, name, dryRun = false }: Leaving,
  goneMs = GONE_MS,
): Promise<string[]> {
  const place = { instance }
  const cluster = await objects.get<Cluster>(call, place, CLUSTER, { name })
  if (cluster.spec.syncMode === 'Pull')
    throw failedPrecondition(
      `cluster ${name} is a Pull member, whose agent would bring it back: run karmadactl unregister ${name} with the cluster's kubeconfig`,
      { reason: 'PullMember' },
    )
  const credential = await credentialOf(objects, call, instance, cluster)
  const { uid } = cluster.metadata
  const preconditions = uid ? { uid } : {}
  if (dryRun) await tried(objects.remove(call, place, CLUSTER, { name }, { ...preconditions, dryRun }))
  else {
    await objects.remove(call, place, CLUSTER, { name }, preconditions)
    await gone(objects, call, instance, cluster, goneMs)
  }
  if (typeof credential === 'string') return [leftBecause(name, credential)]
  const { signal, clear } = deadline([], REVOKE_MS)
  try {
    const api = await connectToCluster(connect, credential.kubeconfig)
    try {
      return await revokeAccess(new ClusterApi(api, name, signal), name, { dryRun })
    } finally {
      await api.close()
    }
  } catch (error) {
    const what = dryRun
      ? 'a cluster could not be read with Karmada’s access'
      : 'Karmada’s access was not taken out of a cluster'
    call.log.warn({ err: error, instance, cluster: name }, what)
    return [leftBecause(name, toFailure(error).message)]
  } finally {
    clear()
  }
}

/** Karmada's kubeconfig of a member, or why there is none. Read before its Secret goes with the Cluster. */
async function credentialOf(
  objects: Objects,
  call: Call,
  instance: string,
  { spec }: Cluster,
): Promise<string | { readonly kubeconfig: string }> {
  const { secretRef, apiEndpoint, insecureSkipTLSVerification: insecure = false } = spec
  if (!secretRef || !apiEndpoint) return 'its Cluster names no credentials'
  try {
    const { data } = await objects.get<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(
      call,
      { instance },
      SECRET,
      secretRef,
    )
    const { token, caBundle = '' } = data ?? {}
    if (!token) return `the Secret ${secretRef.namespace}/${secretRef.name} has no token`
    const plain = Buffer.from(token, 'base64').toString('utf8')
    return { kubeconfig: tokenKubeconfig({ server: apiEndpoint, token: plain, caBundle, insecure }) }
  } catch (error) {
    if (!isNotFound(error) && !isForbidden(error)) throw error
    return toFailure(error).message
  }
}

/** Waits until the Cluster is gone, or is another one. */
async function gone(
  objects: Objects,
  call: Call,
  instance: string,
  { metadata }: Cluster,
  goneMs: number,
): Promise<void> {
  const { name, uid } = metadata
  for (
    const until = performance.now() + goneMs;
    ;
    await pause(GONE_POLL_MS, undefined, { signal: call.signal })
  ) {
    const found = await objects
      .get<Cluster>(call, { instance }, CLUSTER, { name })
      .catch((error: unknown) => {
        if (isNotFound(error)) return undefined
        throw error
      })
    if (!found || found.metadata.uid !== uid) return
    if (performance.now() > until) throw await terminating(objects, call, instance, found, goneMs)
  }
}

async function terminating(objects: Objects, call: Call, instance: string, cluster: Cluster, goneMs: number) {
  const { name, finalizers = [] } = cluster.metadata
  const namespace = executionNamespace(name)
  const works = await objects
    .list(call, { instance }, WORK, { namespace, page: 1, pageSize: 1 })
    .then(({ pagination }) => `${pagination.total} Works are left in ${namespace}`)
    .catch(() => `Works may be left in ${namespace}`)
  const unreachable = cluster.status?.conditions?.some(
    ({ type, status }) => type === 'Ready' && status !== 'True',
  )
  const why = unreachable
    ? '; Karmada does not reach the cluster, and cannot delete what they made there'
    : ''
  return failedPrecondition(
    `cluster ${name} is still being removed after ${goneMs / 1000} s: ${works}${why}. It is kept by ${finalizers.join(', ') || 'no finalizer'}. Call this again to wait on`,
    { reason: 'ClusterTerminating', metadata: { phase: ClusterPhase[phaseOf(cluster)] ?? '' } },
  )
}

function leftBecause(cluster: string, why: string): string {
  const { role, account } = accessNames(cluster)
  return `ClusterRoleBinding and ClusterRole ${role} and ServiceAccount karmada-cluster/${account}: ${why}`
}
