import { describe, expect, it, onTestFinished } from 'vitest'
import {
  materializeRoleBindings,
  removeRoleBindings,
} from '../../../../actors/instance/effects/role-bindings.js'
import type { RbacObject } from '../../../../manifests/instance-rbac.js'
import type { InstanceRoleBinding } from '../../../../manifests/instance-role-binding.js'
import { labelsOf } from '../../../../manifests/names.js'
import { instance } from '../../../machines/instance/facts.js'
import { EffectsUnderTest, failing } from '../../effects-under-test.js'
import { refusal } from '../../scripted-api.js'
import { admin, binding, changed, RBAC, storing, subjectsOf, writes } from './stored-rbac.js'

const effects = new EffectsUnderTest()

describe('role bindings', () => {
  it('become RBAC inside once, are reported once, and are removed when they are deleted', async () => {
    const objects = storing(effects)
    effects.host.script = () => ({})
    effects.bindings = [binding()]
    await effects.run(materializeRoleBindings)
    expect(objects.size).toBeGreaterThan(1)
    expect(effects.host.lines).toEqual(['PATCH /apis/kairship.io/v1alpha1/instancerolebindings/team/status'])
    const [sent] = effects.host.requests
    const before = writes(effects.inside).length
    effects.bindings = [
      binding((sent!.body as { status: NonNullable<InstanceRoleBinding['status']> }).status),
    ]
    await effects.run(materializeRoleBindings)
    expect(writes(effects.inside)).toHaveLength(before)
    expect(effects.host.requests).toHaveLength(1)
    effects.bindings = []
    await effects.run(materializeRoleBindings)
    expect(objects.size).toBe(0)
  })

  it('that were changed or deleted by hand are restored', async () => {
    const objects = storing(effects)
    effects.host.script = () => ({})
    effects.bindings = [binding()]
    await effects.run(materializeRoleBindings)
    const whole = JSON.stringify([...objects])
    const [first, second] = [...objects.keys()]
    objects.delete(first!)
    objects.set(second!, { ...objects.get(second!)!, subjects: [], rules: [] })
    await effects.run(materializeRoleBindings)
    expect(JSON.stringify([...objects].sort())).toBe(JSON.stringify(JSON.parse(whole).sort()))
  })

  it('with another role are recreated, because a roleRef is immutable', async () => {
    const objects = storing(effects)
    effects.host.script = () => ({})
    effects.bindings = [binding()]
    await effects.run(materializeRoleBindings)
    const [path, object] = [...objects].find(([at]) => at.includes('/clusterrolebindings/'))!
    objects.set(path, { ...object, roleRef: { ...object.roleRef!, name: 'another' } })
    effects.inside.lines.length = 0
    await effects.run(materializeRoleBindings)
    expect(writes(effects.inside)).toEqual([`DELETE ${path}`, `PATCH ${path}`])
  })

  it('with an additional subject bind it', async () => {
    const { objects, outcome } = await changed(effects, [admin('mallory')], [admin('mallory', 'eve')])
    expect(outcome).toBe('succeeded')
    expect(subjectsOf(objects, 'kairship:mallory-admin')).toEqual(['mallory', 'eve'])
  })

  it('with an added and a removed subject are written once', async () => {
    await changed(effects, [admin('mallory')], [admin('eve')])
    const written = writes(effects.inside)
    expect(written).toEqual([...new Set(written)])
  })

  it('with another role are not applied over one that cannot be removed', async () => {
    const objects = storing(effects)
    effects.host.script = () => ({})
    effects.bindings = [binding()]
    await effects.run(materializeRoleBindings)
    const store = effects.inside.script
    effects.inside.script = request =>
      request.method === 'DELETE' ? refusal(503, 'ServiceUnavailable', 'not now') : store(request)
    const [path, object] = [...objects].find(([at]) => at.endsWith(encodeURIComponent('kairship:team')))!
    objects.set(path, { ...object, roleRef: { ...object.roleRef!, name: 'another' } })
    effects.inside.lines.length = 0
    expect(await failing(effects.run(materializeRoleBindings))).toBe(
      'Unavailable: ClusterRoleBinding kairship:team was not removed: not now',
    )
    expect(writes(effects.inside)).toEqual([`DELETE ${path}`])
  })

  it('are removed before roles, and only our objects are listed', async () => {
    const objects = storing(effects)
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
  })

  it('and those of issued kubeconfigs are removed with the instance, and no others', async () => {
    const objects = storing(effects)
    effects.host.script = () => ({})
    const other = (name: string, labels: Record<string, string>): readonly [string, RbacObject] => [
      `${RBAC}/clusterrolebindings/${name}`,
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name, labels } },
    ]
    const [issued, foreign, twin] = [
      other('kairship-admin-0123', labelsOf('alpha')),
      other('of-a-user', { 'kairship.io/instance': 'alpha' }),
      other('of-another-instance', labelsOf('alpha-2')),
    ]
    for (const [path, object] of [issued, foreign, twin]) objects.set(path, object)
    effects.bindings = [binding()]
    await effects.run(materializeRoleBindings)
    effects.bindings = []
    await effects.run(materializeRoleBindings)
    expect([...objects.keys()]).toEqual([issued[0], foreign[0], twin[0]])
    expect(await effects.run(removeRoleBindings)).toBe('gone')
    expect([...objects.keys()]).toEqual([foreign[0], twin[0]])
  })

  it('are removed again when a late request has created one meanwhile', async () => {
    const objects = storing(effects)
    effects.host.script = () => ({})
    effects.bindings = [binding()]
    await effects.run(materializeRoleBindings)
    const [path, late] = [...objects].at(-1)!
    const store = effects.inside.script
    effects.inside.script = request => {
      const answer = store(request)
      if (request.method === 'DELETE' && request.path === path) objects.set(path, late)
      return answer
    }
    expect(await failing(effects.run(removeRoleBindings))).toMatch(/^StillThere: .* is inside again$/)
    effects.inside.script = store
    expect(await effects.run(removeRoleBindings)).toBe('gone')
    expect(objects.size).toBe(0)
  })

  it('are not reported as removed while one of their types cannot be listed', async () => {
    storing(effects)
    effects.host.script = () => ({})
    effects.bindings = [binding()]
    await effects.run(materializeRoleBindings)
    const store = effects.inside.script
    let lists = 0
    effects.inside.script = request =>
      request.method === 'GET' && request.path.endsWith('/rolebindings') && ++lists === 2
        ? refusal(503, 'ServiceUnavailable', 'not now')
        : store(request)
    expect(await failing(effects.run(removeRoleBindings))).toBe(
      'Unavailable: RoleBinding was not listed: not now',
    )
    expect(await effects.run(removeRoleBindings)).toBe('gone')
  })

  it('are removed together with the canary of the index', async () => {
    storing(effects)
    const store = effects.inside.script
    let canary: unknown = {
      ...{ apiVersion: 'v1', kind: 'ConfigMap' },
      metadata: {
        name: 'kairship-index-canary',
        namespace: 'kube-system',
        uid: 'u',
        labels: labelsOf('alpha'),
      },
    }
    effects.inside.script = request => {
      if (!request.path.endsWith('/configmaps/kairship-index-canary')) return store(request)
      if (request.method === 'DELETE') canary = undefined
      return canary ?? refusal(404, 'NotFound')
    }
    expect(await effects.run(removeRoleBindings)).toBe('gone')
    expect(canary).toBeUndefined()
  })

  it('are removed over a connection whose Secret was deleted together with the Instance', async () => {
    const objects = storing(effects)
    effects.host.script = () => ({})
    effects.bindings = [binding()]
    await effects.run(materializeRoleBindings)
    effects.connection.replace(undefined)
    onTestFinished(() => effects.connection.close())
    expect(await effects.run(removeRoleBindings)).toBe('gone')
    expect(objects.size).toBe(0)
  })

  it.each([
    ['404 to everything', refusal(404, '', '404 page not found')],
    ['a page of its own to everything', '<html>welcome</html>'],
  ])(
    'cannot be removed behind an endpoint that answers %s, and the error says that it is no control plane of ours',
    async (_what, answer) => {
      effects.inside.script = () => answer
      expect(await failing(effects.run(removeRoleBindings))).toMatch(/^NotServed: /)
    },
  )

  it('need no removal from a control plane that was never reached', async () => {
    await effects.connection.close()
    expect(await effects.run(removeRoleBindings)).toBe('gone')
    const known = instance({ status: { controlPlaneID: 'cp' } })
    expect(await failing(effects.run(removeRoleBindings, { of: known }))).toMatch(
      /^Unreachable: there is no connection/,
    )
  })
})

describe('Secrets of Editors of the whole instance', () => {
  const editors = () => binding(undefined, 'editors', { role: 'Editor' })
  const NAMESPACES = '/api/v1/namespaces'
  const CLUSTERS = '/apis/cluster.karmada.io/v1alpha1/clusters'
  /** A control plane with these namespaces and Clusters, either of which may fail. */
  function inside(read: { namespaces: object[] | Error; clusters: object[] | Error }) {
    const present = ['shop', 'vault', 'karmada-cluster', 'later']
    const objects = storing(effects, { namespaces: present })
    const rbac = effects.inside.script
    effects.host.script = () => ({})
    const listed = (items: object[] | Error) => (items instanceof Error ? items : { items })
    effects.inside.script = request => {
      if (request.path === NAMESPACES) return listed(read.namespaces)
      if (request.path === CLUSTERS) return listed(read.clusters)
      return rbac(request)
    }
    const bound = () =>
      [...objects.values()]
        .filter(({ roleRef }) => roleRef?.name === 'kairship:secrets')
        .map(({ metadata }) => metadata.namespace)
    return { read, bound }
  }
  const named = (...names: string[]) => names.map(name => ({ metadata: { name } }))
  const member = { metadata: { name: 'm' }, spec: { secretRef: { namespace: 'vault', name: 'm' } } }
  const impersonator = { metadata: { name: 'i' }, spec: { impersonatorSecretRef: { namespace: 'vault' } } }

  it.each([
    ['credentials', member],
    ['impersonator credentials', impersonator],
  ])('are bound in each namespace that is no reserved one and keeps no %s of members', async (_, cluster) => {
    const terminating = { metadata: { name: 'later', deletionTimestamp: '2026-11-23T00:00:00Z' } }
    const namespaces = [...named('shop', 'vault', 'karmada-cluster'), terminating]
    const { bound } = inside({ namespaces, clusters: [cluster] })
    effects.bindings = [editors()]
    await effects.run(materializeRoleBindings)
    expect(bound()).toEqual(['shop'])
  })

  it.each([
    ['namespaces', 'Namespaces was not listed'],
    ['clusters', 'Clusters was not listed'],
  ] as const)(
    'stay where they are bound, and nowhere else, while %s cannot be listed',
    async (what, message) => {
      const { read, bound } = inside({ namespaces: named('shop'), clusters: [] })
      effects.bindings = [editors()]
      await effects.run(materializeRoleBindings)
      read.namespaces = named('shop', 'later')
      read[what] = refusal(503, 'ServiceUnavailable')
      expect(await failing(effects.run(materializeRoleBindings))).toContain(message)
      expect(bound()).toEqual(['shop'])
      effects.bindings = []
      await effects.run(materializeRoleBindings)
      expect(bound()).toEqual([])
    },
  )

  it('need no list of Clusters where the control plane serves none', async () => {
    const { bound } = inside({ namespaces: named('shop'), clusters: refusal(404, 'NotFound') })
    effects.bindings = [editors()]
    await effects.run(materializeRoleBindings)
    expect(bound()).toEqual(['shop'])
  })
})
