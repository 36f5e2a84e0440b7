import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  type RbacObject,
  ROLE_BINDINGS,
  renderRbac,
} from '../manifests/instance-rbac.js'
import { INSTANCE_ROLE_BINDINGS, type InstanceRoleBinding } from '../manifests/instance-role-binding.js'
import { type GroupVersionResource, type KubeList, resourcePath } from '../manifests/kube.js'
import { INSTANCE_LABEL, ROLE_BINDING_LABEL } from '../manifests/names.js'
import { isNotFound } from '../manifests/status-error.js'
import type { KubeApi } from '../ports/kube-api.js'
import { apply, remove } from './apply.js'
import { provided } from './effect.js'
import { fail } from './failure.js'
import { removeCanary } from './index-canary.js'
import { fingerprint } from './outside-object.js'
import type { Surroundings } from './surroundings.js'

const stage = 'role bindings'

/** Bindings before roles on the way out, so that no moment grants by a role that is being emptied. */
const types: readonly (readonly [kind: string, resource: GroupVersionResource])[] = [
  ['RoleBinding', ROLE_BINDINGS],
  ['ClusterRoleBinding', CLUSTER_ROLE_BINDINGS],
  ['ClusterRole', CLUSTER_ROLES],
]
/** What role bindings become inside. */
export const typesInside: readonly GroupVersionResource[] = types.map(([, resource]) => resource)
/** Selects what was made inside of an instance's role bindings. */
export const madeInsideSelector = (instance: string): string =>
  `${INSTANCE_LABEL}=${instance},${ROLE_BINDING_LABEL}`
const resourceOf = (kind: string): GroupVersionResource => new Map(types).get(kind) ?? CLUSTER_ROLES

const identity = ({ kind, metadata: { namespace = '', name } }: RbacObject): string =>
  `${kind}/${namespace}/${name}`
const substance = ({ rules, roleRef, subjects }: RbacObject): string =>
  fingerprint([rules, roleRef, subjects])

/**
 * The role-bindings controller: makes the RBAC inside the instance what Global Management's bindings say, and nothing
 * more. It reads what is there, writes what differs and removes what is no longer asked for.
 */
export const materializeRoleBindings = (surroundings: Surroundings) =>
  provided(
    surroundings,
    { name: 'materialize the role bindings', stage, inside: true },
    async ({ name }, signal) => {
      const api = insideOf(surroundings, name)
      const bindings = surroundings.host.roleBindings.of(name)
      const wanted = renderRbac(name, bindings)
      const present = new Map((await madeInside(api, name, signal)).map(object => [identity(object), object]))
      for (const object of wanted) {
        const before = present.get(identity(object))
        present.delete(identity(object))
        if (before && substance(before) === substance(object)) continue
        await replace(api, before, object, signal)
      }
      for (const surplus of present.values()) await removeOne(api, surplus, signal)
      for (const binding of bindings) await sayMaterialized(surroundings.host.api, binding, signal)
      return 'unwatched'
    },
  )

/** Takes away everything of ours inside: the RBAC, and the canary of the index. */
export const removeRoleBindings = (surroundings: Surroundings) =>
  provided(
    surroundings,
    { name: 'remove the role bindings', stage, inside: true },
    async ({ name, instance }, signal) => {
      // A control plane that was never reached holds nothing of ours, and there is no way in to look.
      if (!surroundings.connectionOf(name).current && !instance.status?.controlPlaneID) return 'gone'
      const api = insideOf(surroundings, name)
      for (const object of await madeInside(api, name, signal)) await removeOne(api, object, signal)
      await removeCanary(surroundings, api, name, signal)
      return 'gone'
    },
  )

function insideOf({ connectionOf }: Surroundings, name: string): KubeApi {
  const connected = connectionOf(name).current
  if (!connected) fail('Unreachable', stage, 'there is no connection to the control plane')
  return connected.api
}

/** Everything of ours inside, in the order in which it goes. */
async function madeInside(api: KubeApi, instance: string, signal: AbortSignal): Promise<RbacObject[]> {
  const labelSelector = madeInsideSelector(instance)
  const found: RbacObject[] = []
  for (const [kind, resource] of types) {
    const path = resourcePath(resource)
    const list = await api.request<KubeList<RbacObject>>({
      method: 'GET',
      path,
      query: { labelSelector },
      signal,
    })
    found.push(...list.items.map(item => ({ ...item, kind })))
  }
  return found
}

/** A roleRef is immutable, so a binding to another role is a new binding. A role has none. */
async function replace(
  api: KubeApi,
  before: RbacObject | undefined,
  object: RbacObject,
  signal: AbortSignal,
): Promise<void> {
  if (before && fingerprint(before.roleRef ?? null) !== fingerprint(object.roleRef ?? null))
    await removeOne(api, before, signal)
  await apply(api, resourceOf(object.kind), object, signal)
}

const removeOne = (api: KubeApi, { kind, metadata }: RbacObject, signal: AbortSignal): Promise<void> =>
  remove(api, resourceOf(kind), metadata, signal)

/** Tells Global Management, once per generation. */
async function sayMaterialized(
  api: KubeApi,
  binding: InstanceRoleBinding,
  signal: AbortSignal,
): Promise<void> {
  const { name, generation } = binding.metadata
  const last = binding.status?.conditions?.find(({ type }) => type === 'Materialized')
  if (last?.status === 'True' && last.observedGeneration === generation) return
  const condition = {
    type: 'Materialized',
    status: 'True',
    reason: 'Materialized',
    message: 'the RBAC inside the instance is as asked',
    lastTransitionTime: last?.status === 'True' ? last.lastTransitionTime : new Date().toISOString(),
    ...(generation !== undefined && { observedGeneration: generation }),
  }
  const others = (binding.status?.conditions ?? []).filter(({ type }) => type !== 'Materialized')
  try {
    await api.request({
      method: 'PATCH',
      path: resourcePath(INSTANCE_ROLE_BINDINGS, { name, subresource: 'status' }),
      contentType: 'application/merge-patch+json',
      body: { status: { conditions: [...others, condition] } },
      signal,
    })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
