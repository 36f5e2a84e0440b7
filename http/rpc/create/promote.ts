import type { Resource } from '../../../karmada/interpreter/workload.js'
import { policyFor } from '../../../karmada/matching/policies.js'
import { policyName } from '../../../karmada/names.js'
import type { PropagationPolicy } from '../../../karmada/objects/propagation-policy.js'
import { isManaged } from '../../../karmada/propagation/in-member.js'
import { pruned } from '../../../karmada/propagation/prune.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { isAlreadyExists, isNotFound } from '../../../manifests/status-error.js'
import type { Call } from '../../call/call.js'
import { alreadyExists, failedPrecondition } from '../../errors/failure.js'
import {
  apiVersionOf,
  keyOf,
  type ObjectKey,
  type ObjectType,
  type Place,
} from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { sideCall } from '../../objects/side-call.js'
import { NAMESPACE, PROPAGATION_POLICY } from '../kind/object-types.js'
import { createTogether, tryTogether } from './create-together.js'

/** An object of a member that is to become a template. */
export interface Promoted {
  readonly type: ObjectType
  readonly key: Required<ObjectKey>
}

/**
 * Adopts objects of a member as templates of the control plane, with one policy that keeps them on that member. Nothing that
 * the control plane has is changed: neither a namespace with its labels, nor an object of the same name, which is a refusal.
 * What was made is taken back when a later step fails.
 *
 * The policy comes first, so that no other policy claims the templates in between. Where another goes before it, as by its
 * priority, the promotion is refused: the templates would be placed elsewhere, and the member's objects taken over. It overwrites, else Karmada would leave the member's objects alone because it did not make them.
 * @param promoted all of one namespace; the policy is called by the first
 * @param dryRun everything is checked and nothing is made
 * @throws Failure FAILED_PRECONDITION for what Karmada manages already or another policy would have, ALREADY_EXISTS for what has a template; StatusError
 */
export async function promote(
  objects: Objects,
  call: Call,
  { instance, cluster }: Required<Place>,
  promoted: readonly [Promoted, ...Promoted[]],
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<void> {
  const templates = []
  for (const { type, key } of promoted) {
    const found = await objects.get<Resource>(call, { instance, cluster }, type, key)
    if (isManaged(found)) throw managedAlready(type, key, cluster)
    await refuseExisting(objects, call, { instance }, type, key)
    templates.push({ type, template: pruned(found) })
  }
  const [{ key }] = promoted
  const policy = policyOf(cluster, promoted)
  await refuseOutranked(objects, call, { instance }, policy, templates)
  if (!dryRun) await ensureNamespace(objects, call, { instance }, key.namespace)
  const several = promoted.length > 1
  const planned = [
    { type: PROPAGATION_POLICY, object: several ? suspended(policy) : policy },
    ...templates.map(({ type, template }) => ({ type, object: template })),
  ]
  if (dryRun) return tryTogether(objects, call, { instance }, planned)
  await createTogether(objects, call, { instance }, planned, async () => {
    // Of several, Karmada touches none in the member before all are made: what it took over it would delete when taken back.
    if (several)
      await objects.patch(call, { instance }, PROPAGATION_POLICY, keyOf(policy), {
        type: 'application/merge-patch+json',
        body: { spec: { suspension: null } },
      })
  })
}

/** As Go writes a GroupVersionKind, which karmadactl names its policy by. */
const goKind = (type: ObjectType): string => `${apiVersionOf(type)}, Kind=${type.kind}`

function policyOf(cluster: string, promoted: readonly [Promoted, ...Promoted[]]): PropagationPolicy {
  const [{ type, key }] = promoted
  return {
    apiVersion: apiVersionOf(PROPAGATION_POLICY),
    kind: PROPAGATION_POLICY.kind,
    metadata: { name: policyName(key.namespace, key.name, goKind(type)), namespace: key.namespace },
    spec: {
      resourceSelectors: promoted.map(({ type, key }) => ({
        apiVersion: apiVersionOf(type),
        kind: type.kind,
        namespace: key.namespace,
        name: key.name,
      })),
      placement: { clusterAffinity: { clusterNames: [cluster] } },
      conflictResolution: 'Overwrite',
    },
  }
}

const suspended = <T extends { readonly spec: object }>(policy: T): T => ({
  ...policy,
  spec: { ...policy.spec, suspension: { dispatching: true } },
})

async function refuseExisting(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  type: ObjectType,
  key: Required<ObjectKey>,
): Promise<void> {
  try {
    await objects.get(call, place, type, key)
  } catch (error) {
    if (isNotFound(error)) return
    throw error
  }
  throw alreadyExists(
    `the control plane has a ${type.kind} ${key.namespace}/${key.name}: nothing was changed. Change its policy to place it on further clusters`,
    { reason: 'AlreadyExists' },
  )
}

/** In a namespace, its own policies go before those of the whole control plane, whatever their priority. */
async function refuseOutranked(
  objects: Objects,
  call: Call,
  place: Place,
  policy: PropagationPolicy,
  templates: readonly { readonly type: ObjectType; readonly template: KubeObject }[],
): Promise<void> {
  const { namespace = '' } = policy.metadata
  const { items } = await objects.list<PropagationPolicy>(sideCall(call), place, PROPAGATION_POLICY, {
    ...{ namespace, page: 1, pageSize: 0 },
  })
  for (const { type, template } of templates) {
    const winner = policyFor(template, [...items, policy], [])
    if (winner !== undefined && winner !== policy)
      throw failedPrecondition(
        `PropagationPolicy ${namespace}/${winner.metadata.name} (priority ${winner.spec.priority ?? 0}) would place ${type.kind} ${namespace}/${template.metadata.name}, and not the one that keeps it on its member: nothing was changed. Have that policy select other objects, or delete it`,
        { reason: 'OutrankedPolicy' },
      )
  }
}

/** A namespace that is there stays as it is, labels and all. */
async function ensureNamespace(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  name: string,
): Promise<void> {
  try {
    await objects.get(call, place, NAMESPACE, { name })
  } catch (error) {
    if (!isNotFound(error)) throw error
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
    await objects.create(call, place, NAMESPACE, namespace).catch((failed: unknown) => {
      if (!isAlreadyExists(failed)) throw failed
    })
  }
}

const managedAlready = (type: ObjectType, { namespace, name }: Required<ObjectKey>, cluster: string) =>
  failedPrecondition(
    `Karmada manages ${type.kind} ${namespace}/${name} of ${cluster} already: it comes from a template of this or another control plane`,
    { reason: 'AlreadyManaged' },
  )
