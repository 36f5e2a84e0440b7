import { describe, expect, it } from 'vitest'
import { NotLeadingError } from '../../../../actors/election/leadership.js'
import { materializeRoleBindings } from '../../../../actors/instance/effects/role-bindings.js'
import type { InstanceRoleBinding } from '../../../../manifests/instance-role-binding.js'
import { waitFor } from '../../../patience.js'
import { EffectsUnderTest, failing } from '../../effects-under-test.js'
import { refusal } from '../../scripted-api.js'
import { admin, binding, RBAC, reported, storing } from './stored-rbac.js'

const effects = new EffectsUnderTest()

describe('the status of a role binding', () => {
  it('reports why it is not in effect, and that another one is', async () => {
    storing(effects)
    effects.host.script = () => ({})
    effects.bindings = [binding(undefined, 'a-team', { namespaces: ['nowhere', 'default'] }), binding()]
    await failing(effects.run(materializeRoleBindings))
    expect(reported(effects)).toEqual({
      'a-team':
        'False NotFound: RoleBinding nowhere/kairship:a-team was not applied: namespaces "nowhere" not found',
      team: 'True Materialized: the RBAC inside the instance is as this binding says',
    })
  })

  it('says whom a binding holds that nobody has chosen, once it is in effect', async () => {
    storing(effects)
    effects.host.script = () => ({})
    const subjects = [{ kind: 'Group', name: 'system:authenticated' } as const]
    effects.bindings = [binding(undefined, 'wide', { subjects }), binding()]
    await effects.run(materializeRoleBindings)
    expect(reported(effects)).toEqual({
      wide: expect.stringMatching(
        /^True Materialized: the RBAC inside the instance is as this binding says; the group system:authenticated is everyone who can log in/,
      ),
      team: 'True Materialized: the RBAC inside the instance is as this binding says',
    })
  })

  it('reports a role that could not be created, while others are in effect', async () => {
    storing(effects)
    const store = effects.inside.script
    effects.inside.script = request =>
      request.method === 'PATCH' && request.path.endsWith(encodeURIComponent('kairship:viewer'))
        ? refusal(403, 'Forbidden', 'not yours')
        : store(request)
    effects.host.script = () => ({})
    effects.bindings = [binding(), admin('mallory')]
    await failing(effects.run(materializeRoleBindings))
    expect(reported(effects)).toEqual({
      team: 'False Forbidden: ClusterRole kairship:viewer was not applied: not yours',
      'mallory-admin': 'True Materialized: the RBAC inside the instance is as this binding says',
    })
  })

  it('names the generation that is in effect', async () => {
    storing(effects)
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

  it('is not written when the binding was deleted before', async () => {
    storing(effects)
    effects.bindings = [binding()]
    effects.host.script = () => refusal(404, 'NotFound')
    expect(await effects.run(materializeRoleBindings)).toBe('unwatched')
  })

  it('that others write continuously is retried in the next run', async () => {
    storing(effects)
    effects.bindings = [binding()]
    effects.host.script = ({ method }) => {
      if (effects.host.requests.length > 10) return refusal(500, 'InternalError', 'asked for ever')
      return method === 'GET' ? binding() : refusal(409, 'Conflict', 'the object has been modified')
    }
    expect(await failing(effects.run(materializeRoleBindings))).toMatch(/the object has been modified$/)
  })

  it('reports a revoked right that still exists', async () => {
    const objects = storing(effects, { namespaces: ['default', 'other'] })
    effects.host.script = () => ({})
    effects.bindings = [binding(undefined, 'team', { namespaces: ['default', 'other'] })]
    await effects.run(materializeRoleBindings)
    const store = effects.inside.script
    effects.inside.script = request =>
      request.method === 'DELETE' ? refusal(503, 'ServiceUnavailable', 'not now') : store(request)
    effects.bindings = [binding(undefined, 'team', { namespaces: ['default'] })]
    await failing(effects.run(materializeRoleBindings))
    expect([...objects.keys()].some(path => path.includes('/namespaces/other/'))).toBe(true)
    expect(reported(effects).team).toBe(
      'False Unavailable: RoleBinding other/kairship:team was not removed: not now',
    )
  })

  it.each<[string, string, string[]]>([
    ['Namespaces', '/api/v1/namespaces', ['edits-all']],
    ['Clusters', '/apis/cluster.karmada.io/v1alpha1/clusters', ['edits-all', 'edits-one']],
    ['RoleBinding', `${RBAC}/rolebindings`, ['edits-all', 'edits-one', 'views']],
  ])('is not in effect of those that need a list of %s which fails', async (kind, path, needing) => {
    storing(effects)
    const store = effects.inside.script
    effects.inside.script = request => {
      if (request.method !== 'GET') return store(request)
      if (request.path === path) return refusal(403, 'Forbidden', 'may not list')
      return store(request) ?? { items: [] }
    }
    effects.host.script = () => ({})
    effects.bindings = [
      binding(undefined, 'edits-all', { role: 'Editor' }),
      binding(undefined, 'edits-one', { role: 'Editor', namespaces: ['default'] }),
      binding(undefined, 'views'),
    ]
    await failing(effects.run(materializeRoleBindings))
    const statuses = Object.entries<string>(reported(effects))
    expect(statuses.filter(([, status]) => !status.startsWith('True')).sort()).toEqual(
      needing.map(name => [name, `False Forbidden: ${kind} was not listed: may not list`]),
    )
    expect(statuses).toHaveLength(3)
  })

  it('keeps conditions that another controller writes at the same time', async () => {
    storing(effects)
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
  ])('is retried in the next run when the binding was %s meanwhile', async (_what, metadata) => {
    storing(effects)
    effects.bindings = [binding()]
    effects.host.script = ({ method }) =>
      method === 'GET'
        ? metadata && { ...binding(), metadata: { ...binding().metadata, ...metadata } }
        : refusal(409, 'Conflict')
    expect(await effects.run(materializeRoleBindings)).toBe('unwatched')
    expect(effects.host.lines).toHaveLength(2)
  })

  it('ends with the term, also while it is being written, and no other is begun', async () => {
    storing(effects)
    effects.host.script = ({ signal }) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    effects.bindings = [binding(), binding(undefined, 'other')]
    const outcome = failing(effects.run(materializeRoleBindings))
    await waitFor(() => expect(effects.host.lines).toHaveLength(1))
    effects.term.abort(new NotLeadingError('this replica no longer leads'))
    expect(await outcome).toBe('NotLeading: this replica no longer leads')
    expect(effects.host.lines).toHaveLength(1)
  })

  it('that cannot be written does not block others, and is retried', async () => {
    storing(effects)
    effects.host.script = ({ path }) =>
      path.includes('/a-team/') ? refusal(403, 'Forbidden', 'not yours') : {}
    effects.bindings = [binding(undefined, 'a-team'), binding()]
    expect(await failing(effects.run(materializeRoleBindings))).toBe(
      'Forbidden: status of InstanceRoleBinding a-team: not yours',
    )
    expect(reported(effects).team).toMatch(/^True/)
  })

  it.each([
    ['is in effect', () => ({})],
    ['is refused', () => refusal(403, 'Forbidden')],
  ])(
    'is decided by as many looks at each binding, however many there are, where each %s',
    async (_, written) => {
      const looksAtEach = async (count: number) => {
        let looks = 0
        const counted = (whole: InstanceRoleBinding): InstanceRoleBinding =>
          new Proxy(whole, {
            get: (of, key: keyof InstanceRoleBinding) => {
              if (key === 'metadata' || key === 'spec') looks += 1
              return of[key]
            },
          })
        effects.bindings = Array.from({ length: count }, (_, index) =>
          counted(binding(undefined, `b${index}`, { role: 'Editor', namespaces: ['default'] })),
        )
        effects.host.script = () => ({})
        effects.inside.script = ({ method }) => (method === 'GET' ? { items: [] } : written())
        await failing(effects.run(materializeRoleBindings))
        return Math.floor(looks / count) // what looks for the first of a kind looks once in all
      }
      expect(await looksAtEach(40)).toBe(await looksAtEach(10))
    },
  )
})
