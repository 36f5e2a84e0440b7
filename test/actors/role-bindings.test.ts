import { describe, expect, it } from 'vitest'
import { materializeRoleBindings, removeRoleBindings } from '../../actors/role-bindings.js'
import type { InstanceRoleBinding } from '../../manifests/instance-role-binding.js'
import { instance } from '../machines/facts.js'
import { EffectsUnderTest, failing } from './effects-under-test.js'
import type { ScriptedApi } from './scripted-api.js'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const effects = new EffectsUnderTest()

describe('role bindings', () => {
  const binding = (status?: InstanceRoleBinding['status']): InstanceRoleBinding => ({
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'InstanceRoleBinding',
    metadata: { name: 'team', uid: 'b1', generation: 2 },
    spec: { instance: 'alpha', role: 'Viewer', subjects: [{ kind: 'User', name: 'ada' }] },
    ...(status && { status }),
  })
  /** The control plane as a store of RBAC. */
  const storing = () => {
    const objects = new Map<string, unknown>()
    effects.inside.script = ({ method, path, body }) => {
      if (!path.startsWith(RBAC)) return undefined
      if (method === 'GET')
        return { items: [...objects].filter(([at]) => at.startsWith(`${path}/`)).map(([, object]) => object) }
      if (method === 'DELETE') objects.delete(path)
      else objects.set(path, body)
      return {}
    }
    return objects
  }
  const writes = (api: ScriptedApi) => api.lines.filter(line => !line.startsWith('GET'))

  it('become RBAC inside once, are told to Global Management once, and go when they go', async () => {
    const objects = storing()
    effects.host.script = () => ({})
    effects.bindings = [binding()]
    await effects.run(materializeRoleBindings)
    expect(objects.size).toBeGreaterThan(1)
    expect(effects.host.lines).toEqual(['PATCH /apis/kairship.io/v1alpha1/instancerolebindings/team/status'])
    const [told] = effects.host.requests
    const before = writes(effects.inside).length
    effects.bindings = [
      binding((told!.body as { status: NonNullable<InstanceRoleBinding['status']> }).status),
    ]
    await effects.run(materializeRoleBindings)
    expect(writes(effects.inside)).toHaveLength(before)
    expect(effects.host.requests).toHaveLength(1)
    effects.bindings = []
    await effects.run(materializeRoleBindings)
    expect(objects.size).toBe(0)
  })

  it('that were changed or deleted by hand are put right', async () => {
    const objects = storing()
    effects.host.script = () => ({})
    effects.bindings = [binding()]
    await effects.run(materializeRoleBindings)
    const whole = JSON.stringify([...objects])
    const [first, second] = [...objects.keys()]
    objects.delete(first!)
    objects.set(second!, { ...(objects.get(second!) as object), subjects: [], rules: [] })
    await effects.run(materializeRoleBindings)
    expect(JSON.stringify([...objects].sort())).toBe(JSON.stringify(JSON.parse(whole).sort()))
  })

  it('of another role are bound anew, because a roleRef cannot change', async () => {
    const objects = storing()
    effects.host.script = () => ({})
    effects.bindings = [binding()]
    await effects.run(materializeRoleBindings)
    const [path, object] = [...objects].find(([at]) => at.includes('/clusterrolebindings/'))!
    objects.set(path, { ...(object as object), roleRef: { name: 'another' } })
    effects.inside.lines.length = 0
    await effects.run(materializeRoleBindings)
    expect(writes(effects.inside)).toEqual([`DELETE ${path}`, `PATCH ${path}`])
  })

  it('are removed bindings first, and only ours are asked for', async () => {
    const objects = storing()
    effects.host.script = () => ({})
    effects.bindings = [binding()]
    await effects.run(materializeRoleBindings)
    effects.inside.lines.length = 0
    expect(await effects.run(removeRoleBindings)).toBe('gone')
    expect(objects.size).toBe(0)
    const kinds = writes(effects.inside).map(line => line.replace(`DELETE ${RBAC}/`, '').replace(/\/.*/, ''))
    expect(kinds).toEqual(
      [...kinds].sort((a, b) => Number(a === 'clusterroles') - Number(b === 'clusterroles')),
    )
    for (const { method, path, query } of effects.inside.requests)
      if (method === 'GET' && path.startsWith(RBAC))
        expect(query?.labelSelector).toBe('kairship.io/instance=alpha,kairship.io/role-binding')
  })

  it('need no removal from a control plane that was never reached', async () => {
    effects.connection.replace(undefined)
    expect(await effects.run(removeRoleBindings)).toBe('gone')
    const known = instance({ status: { controlPlaneID: 'cp' } })
    expect(await failing(effects.run(removeRoleBindings, { of: known }))).toMatch(
      /^Unreachable: there is no connection/,
    )
  })
})
