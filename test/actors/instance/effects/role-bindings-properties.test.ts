import fc from 'fast-check'
import { expect, it } from 'vitest'
import { materializeRoleBindings } from '../../../../actors/instance/effects/role-bindings.js'
import { inheritedBinding } from '../../../../manifests/effective-binding.js'
import type { RbacObject } from '../../../../manifests/instance-rbac.js'
import type { InstanceRole, InstanceRoleBinding } from '../../../../manifests/instance-role-binding.js'
import type { WorkspaceRoleBinding } from '../../../../manifests/workspace-role-binding.js'
import { EffectsUnderTest, failing } from '../../effects-under-test.js'
import { workspaceBinding, workspaceRoleBinding } from '../../host/role-bindings/watched-roles.js'
import { refusal } from '../../scripted-api.js'
import { binding, storing } from './stored-rbac.js'

const effects = new EffectsUnderTest()
const user = fc.constantFrom('ann', 'bob').map(name => ({ kind: 'User' as const, name }))
const role = fc.constantFrom<InstanceRole>('Admin', 'Editor', 'Viewer')
const subjects = fc.array(user, { minLength: 1, maxLength: 2 })
const namespaces = fc.constantFrom(undefined, ['web'], ['web', 'db'])

/** What is in effect at one time: names are few, so that bindings are replaced by others of the same name. */
const moment = fc.record({
  direct: fc.uniqueArray(
    fc
      .record({ name: fc.constantFrom('a', 'b'), role, subjects, namespaces })
      .map(({ name, namespaces, ...spec }) =>
        binding(undefined, name, { ...spec, ...(namespaces && { namespaces }) }),
      ),
    { selector: ({ metadata }) => metadata.name },
  ),
  members: fc.uniqueArray(
    fc
      .record({ name: fc.constantFrom('a', 'b'), role, subjects, namespaces })
      .map(({ name, namespaces, ...spec }) => ({
        member: workspaceRoleBinding(name, 'shop', spec.role, { subjects: spec.subjects }),
        namespaces,
      })),
    { selector: ({ member }) => member.metadata.name },
  ),
  /** The request of a run that the control plane does not answer any more; beyond all for none. */
  crash: fc.nat(25),
})

function show(
  direct: InstanceRoleBinding[],
  members: { member: WorkspaceRoleBinding; namespaces: readonly string[] | undefined }[],
) {
  effects.bindings = direct
  effects.inherited = members.map(({ member, namespaces = [undefined] }) =>
    inheritedBinding(
      'alpha',
      member,
      namespaces.map(namespace =>
        workspaceBinding('shop', { instance: 'alpha', ...(namespace !== undefined && { namespace }) }),
      ),
    ),
  )
}
const granted = (objects: ReadonlyMap<string, RbacObject>) =>
  [...objects]
    .map(([path, { roleRef, subjects, rules }]) => JSON.stringify([path, roleRef, subjects, rules]))
    .sort()

it('the RBAC inside is what the bindings say after every whole run, whatever was given before and wherever runs were cut off', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(moment, { minLength: 1, maxLength: 5 }), async history => {
      const known = { namespaces: ['web', 'db'] }
      const present = known.namespaces.map(name => ({ metadata: { name } }))
      effects.host.script = () => ({})
      const stored = () => {
        const objects = storing(effects, known)
        const rbac = effects.inside.script
        effects.inside.script = request =>
          /\/(namespaces|clusters)$/.test(request.path) && request.method === 'GET'
            ? { items: request.path.endsWith('clusters') ? [] : present }
            : rbac(request)
        return objects
      }
      const objects = stored()
      const whole = effects.inside.script
      for (const { direct, members, crash } of history) {
        show(direct, members)
        let requests = 0
        effects.inside.script = request =>
          requests++ >= crash ? refusal(503, 'ServiceUnavailable') : whole(request)
        await failing(effects.run(materializeRoleBindings))
        effects.inside.script = whole
      }
      await effects.run(materializeRoleBindings)
      const found = granted(objects)
      const anew = stored()
      await effects.run(materializeRoleBindings)
      expect(found).toEqual(granted(anew))
    }),
    { numRuns: 60 },
  )
})
