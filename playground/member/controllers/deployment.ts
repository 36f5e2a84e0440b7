import { fnv32a, safeEncode } from '../../../manifests/hash.js'
import { canonical, equal, type Json } from '../../apimachinery/json.js'
import type { Pod, PodTemplate } from '../../objects/core.js'
import { PODS, REPLICA_SETS } from '../../objects/core-types.js'
import { controllerReference, type Deployment, type ReplicaSet } from '../workloads.js'
import {
  maxSurge,
  newestSize,
  recreateStep,
  replicasOf,
  rollingStep,
  type Sizes,
  scaleStep,
} from './deployment-rollout.js'
import { created, deploymentStatus, hasDeadline, paused, resumed } from './deployment-status.js'
import type { Change, Note, Plan, World } from './plan.js'
import { hasFinished } from './pods.js'
import { withCondition } from './workload-conditions.js'

const HASH_LABEL = 'pod-template-hash'
const REVISION = 'deployment.kubernetes.io/revision'
const HISTORY = 'deployment.kubernetes.io/revision-history'
const DESIRED = 'deployment.kubernetes.io/desired-replicas'
const MAXIMUM = 'deployment.kubernetes.io/max-replicas'
/** Annotations of a Deployment that its ReplicaSets do not get. */
const NOT_COPIED: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  HISTORY,
  DESIRED,
  MAXIMUM,
  'deprecated.deployment.rollback.to',
])

/** The deployment controller: a ReplicaSet for each pod template, and the pods moved from the old ones to the newest. */
export function planDeployment(deployment: Deployment, world: World): Plan {
  if (deployment.metadata.deletionTimestamp) return {}
  const sets = world.owned<ReplicaSet>(REPLICA_SETS, deployment)
  const newest = newestOf(deployment, sets)
  const old = sets.filter(one => one !== newest)
  const revision = revisionFor(newest, old)
  if (!newest && !deployment.spec.paused && mayCreate(deployment, old, world))
    return creation(deployment, sets, old, revision, world.now)
  const annotated = newest && annotatedSet(deployment, newest, revision)
  const sizes = sizesFor(deployment, newest, old)
  const { changes, notes } = scaling(deployment, sets, sizes, annotated)
  const { status, again } = deploymentStatus(pauseNoted(deployment, world.now), sets, newest, world.now)
  return {
    changes: [...changes, ...forgotten(deployment, old, changes)],
    status,
    ...(newest && revisionNoted(deployment, annotated ?? newest)),
    notes,
    ...(again !== undefined && { again }),
  }
}

/** The ReplicaSet of the present template; the oldest, should there be several. */
function newestOf(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  const wanted = withoutHash(deployment.spec.template)
  return sets
    .filter(({ spec }) => equal(withoutHash(spec.template), wanted))
    .sort((one, other) =>
      (one.metadata.creationTimestamp ?? '') < (other.metadata.creationTimestamp ?? '') ? -1 : 1,
    )[0]
}

function withoutHash(template: PodTemplate): Json {
  const { [HASH_LABEL]: _, ...labels } = template.metadata?.labels ?? {}
  const { creationTimestamp: _time, ...metadata } = template.metadata ?? {}
  return { ...template, metadata: { ...metadata, labels } } as unknown as Json
}

const revisionOf = ({ metadata }: ReplicaSet | Deployment): number =>
  Number(metadata.annotations?.[REVISION] ?? 0)

function revisionFor(newest: ReplicaSet | undefined, old: readonly ReplicaSet[]): number {
  const next = Math.max(0, ...old.map(revisionOf)) + 1
  return newest ? Math.max(next, revisionOf(newest)) : next
}

/** A Recreate waits until no pod of an old template runs. */
function mayCreate({ spec }: Deployment, old: readonly ReplicaSet[], world: World): boolean {
  if (spec.strategy?.type !== 'Recreate') return true
  return old.every(one => replicasOf(one) === 0 && world.owned<Pod>(PODS, one).every(pod => hasFinished(pod)))
}

function creation(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  old: readonly ReplicaSet[],
  revision: number,
  now: number,
): Plan {
  const { template, selector, minReadySeconds } = deployment.spec
  const collisions = deployment.status?.collisionCount ?? 0
  const text = canonical(template as unknown as Json) + (collisions > 0 ? String(collisions) : '')
  const hash = safeEncode(String(fnv32a(text)))
  const name = `${deployment.metadata.name}-${hash}`
  // Another owner's, or made of another template whose hash is the same: the next attempt counts the collision in.
  const taken = sets.some(({ metadata }) => metadata.name === name)
  const { status } = deploymentStatus(deployment, sets, undefined, now)
  if (taken) return { status: { ...status, collisionCount: collisions + 1 } }
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash }
  const size = newestSize(deployment, 0, old)
  const set: ReplicaSet = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      namespace: deployment.metadata.namespace ?? '',
      name,
      labels,
      annotations: annotationsOf(deployment, revision),
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: size,
      ...(minReadySeconds ? { minReadySeconds } : {}),
      selector: withHash(selector, hash),
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  }
  const conditions = status.conditions ?? []
  return {
    changes: [{ create: REPLICA_SETS, object: set }],
    ...revisionNoted(deployment, set),
    status: hasDeadline(deployment)
      ? { ...status, conditions: withCondition(conditions, created(name), now) }
      : status,
    notes: size > 0 ? [scaledNote(name, 0, size)] : [],
  }
}

function withHash(selector: object, hash: string): object {
  const { matchLabels } = selector as { matchLabels?: Readonly<Record<string, string>> }
  return { ...selector, matchLabels: { ...matchLabels, [HASH_LABEL]: hash } }
}

function annotationsOf(deployment: Deployment, revision: number): Record<string, string> {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !NOT_COPIED.has(key))
  return { ...Object.fromEntries(copied), [REVISION]: String(revision), ...sizeAnnotations(deployment) }
}

const sizeAnnotations = (deployment: Deployment): Record<string, string> => ({
  [DESIRED]: String(replicasOf(deployment)),
  [MAXIMUM]: String(replicasOf(deployment) + maxSurge(deployment)),
})

/** The newest ReplicaSet with the Deployment's annotations and revision; the same object when it has them. */
function annotatedSet(deployment: Deployment, set: ReplicaSet, revision: number): ReplicaSet {
  const before = set.metadata.annotations ?? {}
  const after: Record<string, string> = { ...before, ...annotationsOf(deployment, revision) }
  // A size of its own changes with the sizes: until then it says what the last scaling was for.
  for (const key of [DESIRED, MAXIMUM]) if (before[key] !== undefined) after[key] = before[key]
  const left = before[REVISION]
  if (left !== undefined && left !== String(revision))
    after[HISTORY] = [before[HISTORY], left].filter(Boolean).join(',')
  const { minReadySeconds = 0 } = deployment.spec
  const sameDelay = (set.spec.minReadySeconds ?? 0) === minReadySeconds
  if (sameDelay && equal(before as Json, after as Json)) return set
  return { ...set, metadata: { ...set.metadata, annotations: after }, spec: { ...set.spec, minReadySeconds } }
}

function sizesFor(deployment: Deployment, newest: ReplicaSet | undefined, old: readonly ReplicaSet[]): Sizes {
  const wanted = String(replicasOf(deployment))
  const active = [...(newest ? [newest] : []), ...old].filter(one => replicasOf(one) > 0)
  const wasScaled = active.some(({ metadata }) => {
    const desired = metadata.annotations?.[DESIRED]
    return desired !== undefined && desired !== wanted
  })
  if (deployment.spec.paused || wasScaled) return scaleStep(deployment, newest, old)
  if (deployment.spec.strategy?.type === 'Recreate') return recreateStep(deployment, newest, old)
  return newest ? rollingStep(deployment, newest, old) : new Map()
}

function scaling(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  sizes: Sizes,
  annotated: ReplicaSet | undefined,
): { readonly changes: readonly Change[]; readonly notes: readonly Note[] } {
  const changes: Change[] = []
  const notes: Note[] = []
  for (const stored of sets) {
    const set = annotated && annotated.metadata.uid === stored.metadata.uid ? annotated : stored
    const [before, size] = [replicasOf(set), sizes.get(set.metadata.name) ?? replicasOf(set)]
    const next = withSizes(deployment, set, size, sizes.has(set.metadata.name) || replicasOf(set) > 0)
    if (next !== stored) changes.push({ update: REPLICA_SETS, object: next })
    if (before !== size) notes.push(scaledNote(set.metadata.name, before, size))
  }
  return { changes, notes }
}

function withSizes(deployment: Deployment, set: ReplicaSet, replicas: number, isActive: boolean): ReplicaSet {
  const sizes = sizeAnnotations(deployment)
  const { annotations = {} } = set.metadata
  const isSame = Object.entries(sizes).every(([key, value]) => annotations[key] === value)
  if (replicas === replicasOf(set) && (isSame || !isActive)) return set
  return {
    ...set,
    metadata: { ...set.metadata, annotations: { ...annotations, ...sizes } },
    spec: { ...set.spec, replicas },
  }
}

const scaledNote = (name: string, from: number, to: number): Note => ({
  type: 'Normal',
  reason: 'ScalingReplicaSet',
  message: `Scaled ${to > from ? 'up' : 'down'} replica set ${name} from ${from} to ${to}`,
})

function revisionNoted({ metadata }: Deployment, set: ReplicaSet): Pick<Plan, 'annotations'> {
  const revision = set.metadata.annotations?.[REVISION] ?? ''
  return { annotations: { ...metadata.annotations, ...(revision !== '' && { [REVISION]: revision }) } }
}

/** A paused Deployment is not late, and one that goes on starts its deadline anew. */
function pauseNoted(deployment: Deployment, now: number): Deployment {
  if (!hasDeadline(deployment)) return deployment
  const conditions = deployment.status?.conditions ?? []
  const current = conditions.find(({ type }) => type === 'Progressing')
  if (current?.reason === 'ProgressDeadlineExceeded') return deployment
  const isNoted = current?.reason === 'DeploymentPaused'
  if (deployment.spec.paused === true ? isNoted : !isNoted) return deployment
  const noted = withCondition(conditions, deployment.spec.paused ? paused() : resumed(), now)
  return { ...deployment, status: { ...deployment.status, conditions: noted } }
}

/** Old ReplicaSets beyond the history that is kept, the oldest first. */
function forgotten(
  deployment: Deployment,
  old: readonly ReplicaSet[],
  changes: readonly Change[],
): readonly Change[] {
  if (changes.length > 0) return []
  const isIdle = ({ metadata, spec, status }: ReplicaSet) =>
    spec.replicas === 0 && !status?.replicas && metadata.generation === status?.observedGeneration
  const idle = old.filter(one => isIdle(one) && !one.metadata.deletionTimestamp)
  const surplus = idle.length - (deployment.spec.revisionHistoryLimit ?? 10)
  if (surplus <= 0) return []
  const oldestFirst = [...idle].sort((one, other) => revisionOf(one) - revisionOf(other))
  return oldestFirst.slice(0, surplus).map(object => ({ remove: REPLICA_SETS, object }))
}
