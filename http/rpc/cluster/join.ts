import { CLUSTER_NAMESPACE, type Cluster, SYSTEM_LABELS } from '../../../karmada/objects/cluster.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { isAlreadyExists, isNotFound } from '../../../manifests/status-error.js'
import type { Cluster as ClusterMessage } from '../../../proto/gen/kairship/cluster_pb.js'
import type { Call } from '../../call/call.js'
import { alreadyExists, failedPrecondition } from '../../errors/failure.js'
import { keyOf, type ObjectType } from '../../objects/object-type.js'
import type { Objects } from '../../objects/objects.js'
import { takeBack } from '../create/create-together.js'
import { Undo } from '../create/undo.js'
import { dryRun } from '../kind/dry-run.js'
import { inField } from '../kind/in-field.js'
import { CLUSTER, NAMESPACE, SECRET } from '../kind/object-types.js'
import { ClusterApi, TYPES } from './cluster-api.js'
import { newCluster } from './given.js'
import { type ConnectToCluster, connectToCluster } from './kubeconfig.js'
import { grantAccess, type MemberCredentials, refuseOthers } from './member-access.js'

/** Which cluster joins which instance. */
interface Joining {
  readonly instance: string
  readonly name: string
  readonly cluster?: ClusterMessage | undefined
  /** Text of the caller's kubeconfig. */
  readonly kubeconfig: string
  /** Only checks: nothing is written, in the control plane or in the cluster. */
  readonly dryRun?: boolean
}

/**
 * Joins a cluster as a Push member by the calls that `karmadactl join` makes. In the control plane they are the caller's, in the
 * cluster those of the kubeconfig. The control plane decides whether the caller may before anything is sent to the cluster.
 * What was made is taken back when a step fails, also after the caller has hung up.
 * @throws Failure INVALID_ARGUMENT for the kubeconfig or the description, ALREADY_EXISTS for a cluster that has joined, under
 * this name or another; what the cluster or the control plane refuse
 */
export async function joinCluster(
  objects: Objects,
  connect: ConnectToCluster,
  call: Call,
  { instance, name, cluster: message, kubeconfig, dryRun: onlyChecks }: Joining,
): Promise<void> {
  const described = newCluster(name, message)
  const api = await connectToCluster(connect, kubeconfig)
  const undo = new Undo()
  try {
    const { apiEndpoint = api.server } = described.spec
    const reached: Cluster = {
      ...described,
      spec: {
        ...described.spec,
        apiEndpoint,
        ...(api.insecure && { insecureSkipTLSVerification: true }),
        secretRef: { namespace: CLUSTER_NAMESPACE, name },
        impersonatorSecretRef: { namespace: CLUSTER_NAMESPACE, name: `${name}-impersonator` },
      },
    }
    const tried = dryRun(objects, call, { instance }, CLUSTER, reached)
    await inField('cluster', tried, { 'metadata.name': 'name' })
    await mayStoreSecrets(objects, call, instance, name)
    const member = new ClusterApi(api, name, call.signal)
    const id = await identify(objects, call, instance, name, member)
    if (onlyChecks) return await refuseOthers(member, name, instance)
    const credentials = await grantAccess(member, { cluster: name, instance }, undo)
    const joining = { ...reached, spec: { ...reached.spec, id } }
    await register({ objects, call, instance, undo }, joining, credentials)
  } catch (error) {
    throw await undo.after(error, call)
  } finally {
    await api.close()
  }
}

/** Who may not store the credentials must not have them issued. */
async function mayStoreSecrets(objects: Objects, call: Call, instance: string, name: string): Promise<void> {
  try {
    await dryRun(objects, call, { instance }, SECRET, secretOf(name, {}))
  } catch (error) {
    // No cluster joined under this name yet, or an earlier one left objects behind.
    if (!isNotFound(error) && !isAlreadyExists(error)) throw error
  }
}

/** The uid by which Karmada knows the cluster. @throws Failure ALREADY_EXISTS where it has joined under another name */
async function identify(
  objects: Objects,
  call: Call,
  instance: string,
  name: string,
  member: ClusterApi,
): Promise<string> {
  const system = await member.find(TYPES.namespaces, { name: 'kube-system' })
  const id = system?.metadata.uid
  if (!id)
    throw failedPrecondition(`cluster ${name} has no namespace kube-system, whose uid would identify it`, {
      reason: 'NoClusterId',
    })
  // By a field selector, for the instance's own answer: an index may not show the newest members.
  const query = { page: 1, pageSize: 0, fieldSelector: `metadata.name!=${name}` }
  const { items } = await objects.list<Cluster>(call, { instance }, CLUSTER, query)
  const other = items.find(({ spec }) => spec.id === id)
  if (other)
    throw alreadyExists(
      `this cluster is a member of ${instance} already, under the name ${other.metadata.name}`,
      { reason: 'ClusterJoined' },
    )
  return id
}

interface Registering {
  readonly objects: Objects
  readonly call: Call
  readonly instance: string
  readonly undo: Undo
}

/** Stores the credentials in the control plane, and makes the Cluster, to which they belong from then on. */
async function register(
  { objects, call, instance, undo }: Registering,
  cluster: Cluster,
  { token, caBundle, impersonatorToken }: MemberCredentials,
): Promise<void> {
  const place = { instance }
  const { name } = cluster.metadata
  const make = <T extends KubeObject>(type: ObjectType, object: T): Promise<T | undefined> =>
    undo.make(
      `${type.kind} ${object.metadata.name} in instance ${instance}`,
      () => objects.create(call, place, type, object).catch(unlessExists),
      (signal, stored = object.metadata) => takeBack(objects, { ...call, signal }, place, type, stored),
    )
  await objects
    .create(call, place, NAMESPACE, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: CLUSTER_NAMESPACE, labels: SYSTEM_LABELS },
    })
    .catch(unlessExists)
  const secrets = [
    secretOf(`${name}-impersonator`, { token: impersonatorToken }),
    secretOf(name, { token, caBundle }),
  ]
  // One that is there is of a member of this name that was not cleaned up behind.
  for (const secret of secrets)
    if (!(await make(SECRET, secret))) await objects.update(call, place, SECRET, secret)
  const joined = await make(CLUSTER, cluster)
  if (!joined) throw alreadyExists(`instance ${instance} has a cluster ${name}`, { reason: 'AlreadyExists' })
  const owner = {
    apiVersion: cluster.apiVersion,
    kind: cluster.kind,
    name,
    uid: joined.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  }
  for (const secret of secrets)
    await objects.patch(call, place, SECRET, keyOf(secret), {
      type: 'application/merge-patch+json',
      body: { metadata: { ownerReferences: [owner] } },
    })
}

/** @param data base64 */
const secretOf = (name: string, data: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: CLUSTER_NAMESPACE, name, labels: SYSTEM_LABELS },
  data,
})

function unlessExists(error: unknown): undefined {
  if (!isAlreadyExists(error)) throw error
}
