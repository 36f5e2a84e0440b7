import { materializeRoleBindings } from '../../../../actors/instance/effects/role-bindings.js'
import type { RbacObject } from '../../../../manifests/instance-rbac.js'
import type { InstanceRoleBinding } from '../../../../manifests/instance-role-binding.js'
import { parseLabelSelector } from '../../../../playground/apimachinery/label-selector.js'
import { type EffectsUnderTest, failing } from '../../effects-under-test.js'
import { refusal, type ScriptedApi } from '../../scripted-api.js'

export const RBAC = '/apis/rbac.authorization.k8s.io/v1'

export const binding = (
  status?: InstanceRoleBinding['status'],
  name = 'team',
  spec: Partial<InstanceRoleBinding['spec']> = {},
): InstanceRoleBinding => ({
  apiVersion: 'kairship.io/v1alpha1',
  kind: 'InstanceRoleBinding',
  metadata: { name, uid: name, generation: 2, resourceVersion: '5' },
  spec: { instance: 'alpha', role: 'Viewer', subjects: [{ kind: 'User', name: 'ada' }], ...spec },
  ...(status && { status }),
})

/**
 * The control plane as a store of RBAC, as strict as a kube-apiserver: namespaces must exist, a roleRef cannot change, and a
 * delete names the uid that was seen. As on a busy one, each object is changed between its list and its deletion.
 */
export function storing(
  effects: EffectsUnderTest,
  { namespaces = ['default'] }: { namespaces?: readonly string[] } = {},
) {
  const objects = new Map<string, RbacObject>()
  effects.inside.script = ({ method, path, query, body }) => {
    if (!path.startsWith(RBAC)) return undefined
    const type = path.slice(RBAC.length + 1)
    if (method === 'GET')
      return {
        items: [...objects]
          .filter(([at]) =>
            at
              .slice(RBAC.length + 1)
              .replace(/^namespaces\/[^/]+\//, '')
              .startsWith(`${type}/`),
          )
          .filter(([, { metadata }]) =>
            parseLabelSelector(`${query?.labelSelector ?? ''}`).matches(metadata.labels),
          )
          .map(([at, object]) => ({
            ...object,
            metadata: { ...object.metadata, uid: `uid of ${at}`, resourceVersion: '7' },
          })),
      }
    if (method === 'DELETE') {
      const { uid, resourceVersion } = (body as { preconditions: Record<string, string> }).preconditions
      if (uid !== `uid of ${path}` || resourceVersion !== undefined) return refusal(409, 'Conflict')
      return objects.delete(path) ? {} : refusal(404, 'NotFound')
    }
    const [, namespace] = /^namespaces\/([^/]+)\//.exec(type) ?? []
    if (namespace !== undefined && !namespaces.includes(namespace))
      return refusal(404, 'NotFound', `namespaces "${namespace}" not found`)
    const before = objects.get(path)
    const after = body as RbacObject
    if (before?.roleRef && before.roleRef.name !== after.roleRef?.name)
      return refusal(422, 'Invalid', 'roleRef: Invalid value: cannot change roleRef')
    objects.set(path, after)
    return {}
  }
  return objects
}
export const writes = (api: ScriptedApi) => api.lines.filter(line => !line.startsWith('GET'))
/** What the effect wrote into the status of each binding, the last of each. */
export const reported = (effects: EffectsUnderTest) =>
  Object.fromEntries(
    effects.host.requests.map(({ path, body }) => {
      const { conditions } = (body as { status: NonNullable<InstanceRoleBinding['status']> }).status
      const ours = conditions?.find(({ type }) => type === 'Materialized')
      return [path.split('/').at(-2), `${ours?.status} ${ours?.reason}: ${ours?.message}`]
    }),
  )
export const subjectsOf = (objects: ReadonlyMap<string, RbacObject>, name: string) =>
  [...objects.values()].find(({ metadata }) => metadata.name === name)?.subjects?.map(({ name }) => name)

export const nowhere = () => binding(undefined, 'a-team', { namespaces: ['nowhere'] })
export const admin = (...names: string[]) =>
  binding(undefined, 'mallory-admin', {
    role: 'Admin',
    subjects: names.map(name => ({ kind: 'User' as const, name })),
  })
/** What stands inside after `before` were materialized and `after` were, and how the latter went. */
export async function changed(
  effects: EffectsUnderTest,
  before: InstanceRoleBinding[],
  after: InstanceRoleBinding[],
) {
  const objects = storing(effects)
  effects.host.script = () => ({})
  effects.bindings = before
  await effects.run(materializeRoleBindings)
  effects.bindings = after
  effects.inside.lines.length = 0
  return { objects, outcome: await failing(effects.run(materializeRoleBindings)) }
}
