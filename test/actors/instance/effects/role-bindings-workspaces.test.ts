import { expect, it } from 'vitest'
import { materializeRoleBindings } from '../../../../actors/instance/effects/role-bindings.js'
import { inheritedBinding } from '../../../../manifests/effective-binding.js'
import { EffectsUnderTest } from '../../effects-under-test.js'
import { workspaceBinding, workspaceRoleBinding } from '../../host/role-bindings/watched-roles.js'
import { binding, RBAC, reported, storing, subjectsOf } from './stored-rbac.js'

const effects = new EffectsUnderTest()
const editors = workspaceRoleBinding('team', 'shop', 'Editor', { subjects: [{ kind: 'Group', name: 'dev' }] })

it('a role through a workspace becomes RBAC inside beside a direct one of the same name, and its status is not written', async () => {
  const objects = storing(effects, { namespaces: ['default', 'web'] })
  effects.host.script = () => ({})
  effects.bindings = [binding()]
  effects.inherited = [
    inheritedBinding('alpha', editors, [workspaceBinding('shop', { instance: 'alpha', namespace: 'web' })]),
  ]
  await effects.run(materializeRoleBindings)
  expect(subjectsOf(objects, 'kairship:team')).toEqual(['ada'])
  const ofDev = [...objects].filter(([, { subjects }]) => subjects?.some(({ name }) => name === 'dev'))
  expect(ofDev.map(([path]) => decodeURIComponent(path)).sort()).toEqual([
    `${RBAC}/clusterrolebindings/kairship:team:workspace:cluster-proxy`,
    `${RBAC}/namespaces/web/rolebindings/kairship:team:workspace`,
    `${RBAC}/namespaces/web/rolebindings/kairship:team:workspace:secrets`,
  ])
  expect(ofDev.map(([, { metadata }]) => metadata.labels?.['kairship.io/role-binding'])).toEqual(
    Array(3).fill('team_workspace'),
  )
  expect(Object.keys(reported(effects))).toEqual(['team'])
  effects.inherited = []
  await effects.run(materializeRoleBindings)
  expect([...objects.values()].some(({ subjects }) => subjects?.some(({ name }) => name === 'dev'))).toBe(
    false,
  )
})

it('an ended role binding is reported as Expired when its rights are gone', async () => {
  const objects = storing(effects)
  effects.host.script = () => ({})
  effects.bindings = [binding()]
  await effects.run(materializeRoleBindings)
  effects.ended = effects.bindings
  effects.bindings = []
  effects.host.script = () => {
    expect(objects.size).toBe(0)
    return {}
  }
  await effects.run(materializeRoleBindings)
  expect(reported(effects)).toEqual({ team: 'False Expired: its end has come; nothing is in effect' })
})
