import { setTimeout as pause } from 'node:timers/promises'
import { CLUSTER_NAMESPACE } from '../../../karmada/objects/cluster.js'
import type { GroupVersionResource, KubeObject, ObjectMeta } from '../../../manifests/kube.js'
import { isConflict } from '../../../manifests/status-error.js'
import { failedPrecondition } from '../../errors/failure.js'
import { type ClusterApi, TYPES } from './cluster-api.js'

/** How long an object that is being deleted has to go, milliseconds: a namespace takes seconds. */
const GONE_MS = 20_000
const GONE_POLL_MS = 100

/** Says of a token's Secret which account it is of. */
const ACCOUNT_UID = 'kubernetes.io/service-account.uid'

/**
 * An object of an earlier join, fit to be used again; undefined where there is none. Removing a cluster leaves the deletion to its
 * garbage collector (`revoke.ts`), which comes when it comes: what is not being deleted yet is taken from it, what is being deleted
 * is waited for.
 * @throws Failure FAILED_PRECONDITION for what is not deleted in time
 */
export async function leftBehind<T extends KubeObject>(
  member: ClusterApi,
  type: GroupVersionResource,
  { kind, metadata: { name, namespace } }: KubeObject,
  goneMs = GONE_MS,
): Promise<T | undefined> {
  const key = { name, ...(namespace !== undefined && { namespace }) }
  for (const until = performance.now() + goneMs; ; await pause(GONE_POLL_MS)) {
    const found = await member.find<T>(type, key)
    if (!found) return undefined
    if (!found.metadata.deletionTimestamp && (await claimed(member, type, found.metadata))) return found
    if (performance.now() > until)
      throw failedPrecondition(
        `${kind} ${name} of an earlier join is still being deleted in the cluster: join it again once it is gone`,
        { reason: 'Deleting' },
      )
  }
}

/**
 * Whether an object no longer belongs to the binding of an earlier join. The garbage collector deletes at the version that it
 * judged, and judges a changed object anew.
 */
async function claimed(
  member: ClusterApi,
  type: GroupVersionResource,
  { ownerReferences = [], resourceVersion, ...key }: ObjectMeta,
): Promise<boolean> {
  const others = ownerReferences.filter(({ kind }) => kind !== 'ClusterRoleBinding')
  if (others.length === ownerReferences.length) return true
  const body = { metadata: { resourceVersion, ownerReferences: others } }
  try {
    return (await member.merge(type, key, body)) !== undefined
  } catch (error) {
    if (isConflict((error as Error).cause)) return false
    throw error
  }
}

/** Deletes the token of an account that was deleted: another account of its name does not have it. */
export async function dropTokenOfOther(member: ClusterApi, account: string): Promise<void> {
  const key = { namespace: CLUSTER_NAMESPACE, name: account }
  const secret = await member.find(TYPES.secrets, key)
  const of = secret?.metadata.annotations?.[ACCOUNT_UID]
  if (of === undefined) return
  const found = await member.find(TYPES.serviceAccounts, key)
  if (found?.metadata.uid !== of) await member.remove(TYPES.secrets, key, secret?.metadata.uid)
}
