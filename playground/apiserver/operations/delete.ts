import { type JsonObject, listAt, objectAt } from '../../apimachinery/json.js'
import { timestamp } from '../../objects/timestamp.js'
import { admitDeletion } from '../admission/admission.js'
import { conflict, forbidden, internalError, notFound } from '../api-status.js'
import type { Change, Outcome } from '../store/store.js'
import { StoredObject } from '../store/stored-object.js'
import type { DeleteOptions } from './delete-options.js'
import { without } from './object-rules.js'
import { type Answer, answerWith, inVersion, keyOf, type Target } from './target.js'

export const FOREGROUND_FINALIZER = 'foregroundDeletion'
export const ORPHAN_FINALIZER = 'orphan'

const CRDS = 'customresourcedefinitions.apiextensions.k8s.io'
/** Put on a definition when it is deleted: it waits until its objects are gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io'

/** NamespaceLifecycle keeps these. */
const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-public', 'kube-system'])

/** Kinds whose deletion answers with the object itself, also when it is gone at once. */
const RETURNS_OBJECT: ReadonlySet<string> = new Set([
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'podtemplates',
  'resourcequotas',
  'serviceaccounts',
  'services',
])
/** A pod that runs on a node is given this long to end by default. */
const POD_GRACE_SECONDS = 30

/**
 * Deletes one object: at once, or by marking it while finalizers, grace or dependents hold it.
 * @throws StatusError NotFound, or Conflict when a precondition does not hold
 */
export async function remove(target: Target, options: DeleteOptions): Promise<Answer> {
  const { type } = target
  if (type.collection === 'namespaces' && IMMORTAL.has(target.name)) {
    throw forbidden(target.qualified, target.name, 'this namespace may not be deleted')
  }
  const key = keyOf(target.namespace, target.name)
  let gone = false
  const transaction = (current: StoredObject | undefined): Change => {
    if (!current) throw notFound(target.qualified, target.name)
    checkPreconditions(target, current, options)
    admitDeletion(target, inVersion(type, current.object))
    const marked = markDeleted(target, current, options)
    gone = marked === undefined
    if (marked === undefined) return { remove: current.object }
    return marked === current.object ? undefined : { put: marked }
  }
  const outcome = await run(target, key, transaction, options)
  const stored = outcome.stored
  if (!stored) throw internalError('a deleted object has no last state')
  if (gone && !RETURNS_OBJECT.has(type.collection)) return { code: 200, object: success(target, stored) }
  const accepted = !gone && options.propagationPolicy === 'Foreground'
  return answerWith(type, accepted ? 202 : 200, stored)
}

async function run(
  { cluster, collection }: Target,
  key: string,
  transaction: (current: StoredObject | undefined) => Change,
  { dryRun }: DeleteOptions,
): Promise<Outcome> {
  if (!dryRun) return cluster.store.write(collection, key, transaction)
  const current = collection.get(key)
  const change = transaction(current)
  // What would wait is shown as it would be while it waits.
  if (!current || !change || !('put' in change)) return { stored: current }
  return { stored: new StoredObject(current.key, current.revision, change.put) }
}

function checkPreconditions(target: Target, current: StoredObject, { preconditions }: DeleteOptions): void {
  const { uid, resourceVersion } = preconditions
  // Kubernetes names the kind here, not the resource.
  const of = { group: target.definition.group, resource: target.definition.kind }
  if (uid !== undefined && uid !== current.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${current.uid}). The object might have been deleted and then recreated`
    throw conflict(of, target.name, why)
  }
  const version = String(current.revision)
  if (resourceVersion !== undefined && resourceVersion !== version) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${version}). The object might have been modified`
    throw conflict(of, target.name, why)
  }
}

/** The object as it is while its deletion waits; the same object when it is marked already; undefined when nothing holds it. */
function markDeleted(target: Target, current: StoredObject, options: DeleteOptions): JsonObject | undefined {
  const { object } = current
  const metadata = objectAt(object, 'metadata')
  const finalizers = collectorFinalizers(target, listAt(metadata, 'finalizers').map(String), options)
  const grace = graceSeconds(target, object, options)
  const held =
    finalizers.length > 0 ||
    grace > 0 ||
    (target.type.collection === 'namespaces' && listAt(object, 'spec', 'finalizers').length > 0)
  if (!held) return undefined
  const already = metadata.deletionTimestamp !== undefined
  const unchanged = finalizers.length === listAt(metadata, 'finalizers').length
  if (already && unchanged && grace >= Number(metadata.deletionGracePeriodSeconds ?? 0)) return object
  const generation = Number(metadata.generation ?? 0)
  return {
    ...object,
    metadata: {
      ...without(metadata, 'finalizers'),
      ...(generation > 0 && !already ? { generation: generation + 1 } : {}),
      deletionTimestamp: already
        ? (metadata.deletionTimestamp as string)
        : timestamp(target.cluster.now() + grace * 1000),
      deletionGracePeriodSeconds: grace,
      ...(finalizers.length === 0 ? {} : { finalizers }),
    },
    ...(target.type.collection === 'namespaces'
      ? { status: { ...objectAt(object, 'status'), phase: 'Terminating' } }
      : {}),
  }
}

/** The garbage collector's own two finalizers follow the propagation policy; all others stay. */
function collectorFinalizers(
  target: Target,
  present: readonly string[],
  { propagationPolicy }: DeleteOptions,
): readonly string[] {
  const implied = present.includes(ORPHAN_FINALIZER)
    ? 'Orphan'
    : present.includes(FOREGROUND_FINALIZER)
      ? 'Foreground'
      : defaultPolicy(target)
  const policy = target.type.collection === 'namespaces' ? 'Background' : (propagationPolicy ?? implied)
  const wanted = policy === 'Orphan' ? ORPHAN_FINALIZER : policy === 'Foreground' ? FOREGROUND_FINALIZER : ''
  const others = present.filter(one => one !== ORPHAN_FINALIZER && one !== FOREGROUND_FINALIZER)
  const cleanup =
    target.type.collection === CRDS && !others.includes(CLEANUP_FINALIZER) ? [CLEANUP_FINALIZER] : []
  const next = [...others, ...cleanup, ...(wanted === '' ? [] : [wanted])]
  return next.length === present.length && next.every(one => present.includes(one)) ? present : next
}

/**
 * What becomes of dependents when the request does not say. Two old kinds keep what they did before there was a garbage
 * collector: DefaultGarbageCollectionPolicy in Kubernetes' pkg/registry, of batch/v1 Jobs and of ReplicationControllers.
 */
const defaultPolicy = ({ type }: Target): 'Orphan' | 'Background' =>
  ORPHANS_BY_DEFAULT.has(type.collection) ? 'Orphan' : 'Background'

const ORPHANS_BY_DEFAULT: ReadonlySet<string> = new Set(['jobs.batch', 'replicationcontrollers'])

/** Only a pod that a node runs is deleted with grace: the kubelet, or its stand-in, removes it with grace 0. */
function graceSeconds({ type }: Target, pod: JsonObject, { gracePeriodSeconds }: DeleteOptions): number {
  if (type.collection !== 'pods' || objectAt(pod, 'spec').nodeName === undefined) return 0
  const phase = objectAt(pod, 'status').phase
  if (phase === 'Failed' || phase === 'Succeeded') return 0
  const own = objectAt(pod, 'spec').terminationGracePeriodSeconds
  return Math.max(0, gracePeriodSeconds ?? (typeof own === 'number' ? own : POD_GRACE_SECONDS))
}

const success = ({ qualified }: Target, stored: StoredObject): JsonObject => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: {
    name: stored.name,
    ...(qualified.group === '' ? {} : { group: qualified.group }),
    kind: qualified.resource,
    uid: stored.uid,
  },
})

/** Deletes every object of a selection, each in a write of its own, as deletecollection does. */
export async function removeAll(
  target: Target,
  objects: readonly StoredObject[],
  options: DeleteOptions,
): Promise<readonly StoredObject[]> {
  for (const object of objects) {
    const one = { ...target, namespace: object.namespace, name: object.name }
    try {
      await remove(one, options)
    } catch (error) {
      if (!isGone(error)) throw error
    }
  }
  return objects
}

const isGone = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'reason' in error && error.reason === 'NotFound'
