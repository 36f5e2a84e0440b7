import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  materializeRoleBindings,
  removeRoleBindings,
} from '../../../../actors/instance/effects/role-bindings.js'
import type { RbacObject } from '../../../../manifests/instance-rbac.js'
import type { InstanceRoleBinding } from '../../../../manifests/instance-role-binding.js'
import { labelsOf } from '../../../../manifests/names.js'
import { instance } from '../../../machines/instance/facts.js'
import { EffectsUnderTest, failing } from '../../effects-under-test.js'
import { refusal, type ScriptedApi } from '../../scripted-api.js'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const effects = new EffectsUnderTest()

const binding = (
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
function storing({ namespaces = ['default'] }: { namespaces?: readonly string[] } = {}) {
  const objects = new Map<string, RbacObject>()
  effects.inside.script = ({ method, path, body }) => {
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
const writes = (api: ScriptedApi) => api.lines.filter(line => !line.startsWith('GET'))
/** What the effect wrote into the status of each binding, the last of each. */
const reported = () =>
  Object.fromEntries(
    effects.host.requests.map(({ path, body }) => {
      const { conditions } = (body as { status: NonNullable<InstanceRoleBinding['status']> }).status
      const ours = conditions?.find(({ type }) => type === 'Materialized')
      return [path.split('/').at(-2), `${ours?.status} ${ours?.reason}: ${ours?.message}`]
    }),
  )
const subjectsOf = (objects: ReadonlyMap<string, RbacObject>, name: string) =>
  [...objects.values()].find(({ metadata }) => metadata.name === name)?.subjects?.map(({ name }) => name)

const nowhere = () => binding(undefined, 'a-team', { namespaces: ['nowhere'] })
const admin = (...names: string[]) =>
  binding(undefined, 'mallory-admin', {
    role: 'Admin',
    subjects: names.map(name => ({ kind: 'User' as const, name })),
  })
/** What stands inside after `before` were materialized and `after` were, and how the latter went. */
async function changed(before: InstanceRoleBinding[], after: InstanceRoleBinding[]) {
  const objects = storing()
  effects.host.script = () => ({})
  effects.bindings = before
  await effects.run(materializeRoleBindings)
  effects.bindings = after
  effects.inside.lines.length = 0
  return { objects, outcome: await failing(effects.run(materializeRoleBindings)) }
}

describe('role bindings', () => {
  it('become RBAC inside once, are reported once, and are removed when they are deleted', async () => {
    const objects = storing()
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

  it('that were changed or deleted by hand are put right', async () => {
    const objects = storing()
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

  it('of another role are bound anew, because a roleRef cannot change', async () => {
    const objects = storing()
    effects.host.script = () => ({})
    effects.bindings = [binding()]
    await effects.run(materializeRoleBindings)
    const [path, object] = [...objects].find(([at]) => at.includes('/clusterrolebindings/'))!
    objects.set(path, { ...object, roleRef: { ...object.roleRef!, name: 'another' } })
    effects.inside.lines.length = 0
    await effects.run(materializeRoleBindings)
    expect(writes(effects.inside)).toEqual([`DELETE ${path}`, `PATCH ${path}`])
  })

  it('that gained a subject bind it, too', async () => {
    const { objects, outcome } = await changed([admin('mallory')], [admin('mallory', 'eve')])
    expect(outcome).toBe('succeeded')
    expect(subjectsOf(objects, 'kairship:mallory-admin')).toEqual(['mallory', 'eve'])
  })

  it('that gained one subject and lost another are written once', async () => {
    await changed([admin('mallory')], [admin('eve')])
    const written = writes(effects.inside)
    expect(written).toEqual([...new Set(written)])
  })

  it('of another role are not applied over one that cannot be removed', async () => {
    const objects = storing()
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

  it('are removed bindings first, and only ours are listed', async () => {
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

  it('are removed again when a late request has made one meanwhile', async () => {
    const objects = storing()
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

  it('are not said to be removed while a type of them cannot be listed', async () => {
    storing()
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
    storing()
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
    const objects = storing()
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
    'cannot be removed behind an endpoint that answers %s, which is said to be none of ours',
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

describe('revocation', () => {
  it('of a deleted binding is not delayed by another binding to a namespace that does not exist', async () => {
    const { objects, outcome } = await changed([admin('mallory')], [nowhere()])
    expect(subjectsOf(objects, 'kairship:mallory-admin')).toBeUndefined()
    expect(outcome).toBe(
      'NotFound: RoleBinding nowhere/kairship:a-team was not applied: namespaces "nowhere" not found',
    )
  })

  it.each<[string, InstanceRoleBinding]>([
    ['of a subject', admin('eve')],
    ['of a role', binding(undefined, 'mallory-admin', { subjects: [{ kind: 'User', name: 'eve' }] })],
  ])('%s that a binding no longer names is not delayed either', async (_what, narrowed) => {
    const { objects } = await changed([admin('mallory', 'eve')], [nowhere(), narrowed])
    expect(subjectsOf(objects, 'kairship:mallory-admin')).toEqual(['eve'])
  })

  it('comes before anything is granted', async () => {
    await changed([admin('mallory', 'eve')], [binding(undefined, 'a-new-one'), admin('eve')])
    const bound = writes(effects.inside).map(line => decodeURIComponent(line.replace(/^(\w+) .*\//, '$1 ')))
    expect(bound.slice(0, 2)).toEqual([
      'PATCH kairship:mallory-admin',
      'PATCH kairship:mallory-admin:cluster-proxy',
    ])
  })

  it('of a rule that was added by hand comes before anything is granted, too', async () => {
    const objects = storing()
    effects.host.script = () => ({})
    effects.bindings = [binding()]
    await effects.run(materializeRoleBindings)
    const [path, role] = [...objects].find(([at]) => at.endsWith(encodeURIComponent('kairship:viewer')))!
    const more = { apiGroups: ['*'], resources: ['secrets'], verbs: ['*'] }
    objects.set(path, { ...role, rules: [...(role.rules ?? []), more] })
    effects.bindings = [binding(), admin('eve')]
    effects.inside.lines.length = 0
    await effects.run(materializeRoleBindings)
    expect(writes(effects.inside)[0]).toBe(`PATCH ${path}`)
    expect(objects.get(path)?.rules).toEqual(role.rules)
  })

  it('of one object is not delayed by another that cannot be removed', async () => {
    const objects = storing()
    effects.host.script = () => ({})
    effects.bindings = [binding(undefined, 'a-first'), admin('mallory')]
    await effects.run(materializeRoleBindings)
    const store = effects.inside.script
    effects.inside.script = request =>
      request.method === 'DELETE' && decodeURIComponent(request.path).includes('a-first')
        ? refusal(500, 'InternalError', 'failed calling webhook')
        : store(request)
    effects.bindings = []
    expect(await failing(effects.run(materializeRoleBindings))).toBe(
      'Unavailable: ClusterRoleBinding kairship:a-first was not removed: failed calling webhook; ClusterRoleBinding kairship:a-first:cluster-proxy was not removed: failed calling webhook',
    )
    expect(subjectsOf(objects, 'kairship:mallory-admin')).toBeUndefined()
    expect(await failing(effects.run(removeRoleBindings))).toMatch(/^Unavailable: .*a-first/)
  })

  it('of one object is not delayed by some others whose removal hangs', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const objects = storing()
    effects.host.script = () => ({})
    effects.bindings = [
      ...['hangs-1', 'hangs-2', 'hangs-3'].map(name => binding(undefined, name)),
      admin('mallory'),
    ]
    await effects.run(materializeRoleBindings)
    const store = effects.inside.script
    effects.inside.script = request =>
      request.method === 'DELETE' && decodeURIComponent(request.path).includes('hangs')
        ? new Promise((_, reject) =>
            request.signal?.addEventListener('abort', () => reject(request.signal?.reason)),
          )
        : store(request)
    effects.bindings = []
    const outcome = failing(effects.run(materializeRoleBindings))
    await vi.advanceTimersByTimeAsync(19_000)
    expect(subjectsOf(objects, 'kairship:mallory-admin')).toBeUndefined()
    expect(await outcome).toMatch(
      /^Unreachable: ClusterRoleBinding kairship:hangs-1 was not removed: no answer within/,
    )
  })

  it('is made of what can be listed, also when one type cannot', async () => {
    const objects = storing()
    effects.host.script = () => ({})
    effects.bindings = [admin('mallory')]
    await effects.run(materializeRoleBindings)
    const store = effects.inside.script
    effects.inside.script = request =>
      request.method === 'GET' && request.path.endsWith('/rolebindings')
        ? refusal(403, 'Forbidden', 'may not list')
        : store(request)
    effects.bindings = []
    expect(await failing(effects.run(materializeRoleBindings))).toBe(
      'Forbidden: RoleBinding was not listed: may not list',
    )
    expect(subjectsOf(objects, 'kairship:mallory-admin')).toBeUndefined()
  })
})

describe('the status of a role binding', () => {
  it('says why it is not in effect, and that another one is', async () => {
    storing()
    effects.host.script = () => ({})
    effects.bindings = [binding(undefined, 'a-team', { namespaces: ['nowhere', 'default'] }), binding()]
    await failing(effects.run(materializeRoleBindings))
    expect(reported()).toEqual({
      'a-team':
        'False NotFound: RoleBinding nowhere/kairship:a-team was not applied: namespaces "nowhere" not found',
      team: 'True Materialized: the RBAC inside the instance is as this binding says',
    })
  })

  it('says that the role it needs could not be made, and others are in effect', async () => {
    storing()
    const store = effects.inside.script
    effects.inside.script = request =>
      request.method === 'PATCH' && request.path.endsWith(encodeURIComponent('kairship:viewer'))
        ? refusal(403, 'Forbidden', 'not yours')
        : store(request)
    effects.host.script = () => ({})
    effects.bindings = [binding(), admin('mallory')]
    await failing(effects.run(materializeRoleBindings))
    expect(reported()).toEqual({
      team: 'False Forbidden: ClusterRole kairship:viewer was not applied: not yours',
      'mallory-admin': 'True Materialized: the RBAC inside the instance is as this binding says',
    })
  })

  it('names the generation that is in effect', async () => {
    storing()
    effects.host.script = () => ({})
    effects.bindings = [binding()]
    await effects.run(materializeRoleBindings)
    const { status } = effects.host.requests[0]!.body as { status: InstanceRoleBinding['status'] }
    const before = { conditions: status!.conditions!.map(ours => ({ ...ours, observedGeneration: 1 })) }
    effects.bindings = [binding(before)]
    await effects.run(materializeRoleBindings)
    expect(effects.host.requests.at(-1)?.body).toMatchObject({
      status: { conditions: [{ type: 'Materialized', observedGeneration: 2 }] },
    })
    expect(effects.host.requests).toHaveLength(2)
  })

  it('is left alone when the binding was deleted before it was written', async () => {
    storing()
    effects.bindings = [binding()]
    effects.host.script = () => refusal(404, 'NotFound')
    expect(await effects.run(materializeRoleBindings)).toBe('unwatched')
  })

  it('that others write all the time is left to the next run', async () => {
    storing()
    effects.bindings = [binding()]
    effects.host.script = ({ method }) => {
      if (effects.host.requests.length > 10) return refusal(500, 'InternalError', 'asked for ever')
      return method === 'GET' ? binding() : refusal(409, 'Conflict', 'the object has been modified')
    }
    expect(await failing(effects.run(materializeRoleBindings))).toMatch(/the object has been modified$/)
  })

  it('says that a right which was taken back is still there', async () => {
    const objects = storing({ namespaces: ['default', 'other'] })
    effects.host.script = () => ({})
    effects.bindings = [binding(undefined, 'team', { namespaces: ['default', 'other'] })]
    await effects.run(materializeRoleBindings)
    const store = effects.inside.script
    effects.inside.script = request =>
      request.method === 'DELETE' ? refusal(503, 'ServiceUnavailable', 'not now') : store(request)
    effects.bindings = [binding(undefined, 'team', { namespaces: ['default'] })]
    await failing(effects.run(materializeRoleBindings))
    expect([...objects.keys()].some(path => path.includes('/namespaces/other/'))).toBe(true)
    expect(reported().team).toBe(
      'False Unavailable: RoleBinding other/kairship:team was not removed: not now',
    )
  })

  it('keeps the conditions that another controller writes at the same time', async () => {
    storing()
    const theirs = (message: string) => ({
      type: 'Reviewed',
      status: 'True' as const,
      reason: 'Reviewed',
      message,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    })
    let live = { ...binding({ conditions: [theirs('just now')] }) }
    live = { ...live, metadata: { ...live.metadata, resourceVersion: '6' } }
    effects.host.script = ({ method, body }) => {
      if (method === 'GET') return live
      const patch = body as InstanceRoleBinding
      // As an API server merges: a list is replaced whole, and a resourceVersion in the patch is a precondition.
      if (patch.metadata.resourceVersion !== live.metadata.resourceVersion)
        return refusal(409, 'Conflict', 'the object has been modified')
      live = { ...live, ...(patch.status && { status: patch.status }) }
      return live
    }
    effects.bindings = [binding({ conditions: [theirs('long ago')] })]
    await effects.run(materializeRoleBindings)
    expect(live.status?.conditions).toEqual([
      theirs('just now'),
      expect.objectContaining({ type: 'Materialized', status: 'True', observedGeneration: 2 }),
    ])
  })

  it.each<[string, Partial<InstanceRoleBinding['metadata']> | undefined]>([
    ['deleted', undefined],
    ['replaced', { uid: 'another', resourceVersion: '6' }],
    ['changed', { generation: 3, resourceVersion: '6' }],
  ])('is left to the next run when the binding was %s meanwhile', async (_what, metadata) => {
    storing()
    effects.bindings = [binding()]
    effects.host.script = ({ method }) =>
      method === 'GET'
        ? metadata && { ...binding(), metadata: { ...binding().metadata, ...metadata } }
        : refusal(409, 'Conflict')
    expect(await effects.run(materializeRoleBindings)).toBe('unwatched')
    expect(effects.host.lines).toHaveLength(2)
  })

  it('that cannot be written keeps no other from being written, and is tried again', async () => {
    storing()
    effects.host.script = ({ path }) =>
      path.includes('/a-team/') ? refusal(403, 'Forbidden', 'not yours') : {}
    effects.bindings = [binding(undefined, 'a-team'), binding()]
    expect(await failing(effects.run(materializeRoleBindings))).toBe(
      'Forbidden: status of InstanceRoleBinding a-team: not yours',
    )
    expect(reported().team).toMatch(/^True/)
  })
})
