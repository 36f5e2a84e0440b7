import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { NotLeadingError } from '../../../../actors/election/leadership.js'
import {
  materializeRoleBindings,
  removeRoleBindings,
} from '../../../../actors/instance/effects/role-bindings.js'
import type { InstanceRoleBinding } from '../../../../manifests/instance-role-binding.js'
import { waitFor } from '../../../patience.js'
import { EffectsUnderTest, failing } from '../../effects-under-test.js'
import { refusal } from '../../scripted-api.js'
import { admin, binding, changed, nowhere, storing, subjectsOf, writes } from './stored-rbac.js'

const effects = new EffectsUnderTest()

describe('revocation', () => {
  it('of a deleted binding is not delayed by another binding to a missing namespace', async () => {
    const { objects, outcome } = await changed(effects, [admin('mallory')], [nowhere()])
    expect(subjectsOf(objects, 'kairship:mallory-admin')).toBeUndefined()
    expect(outcome).toBe(
      'NotFound: RoleBinding nowhere/kairship:a-team was not applied: namespaces "nowhere" not found',
    )
  })

  it.each<[string, InstanceRoleBinding]>([
    ['of a subject', admin('eve')],
    ['of a role', binding(undefined, 'mallory-admin', { subjects: [{ kind: 'User', name: 'eve' }] })],
  ])('%s that a binding no longer names is not delayed by it', async (_what, narrowed) => {
    const { objects } = await changed(effects, [admin('mallory', 'eve')], [nowhere(), narrowed])
    expect(subjectsOf(objects, 'kairship:mallory-admin')).toEqual(['eve'])
  })

  it('runs before anything is granted', async () => {
    await changed(effects, [admin('mallory', 'eve')], [binding(undefined, 'a-new-one'), admin('eve')])
    const bound = writes(effects.inside).map(line => decodeURIComponent(line.replace(/^(\w+) .*\//, '$1 ')))
    expect(bound.slice(0, 2)).toEqual([
      'PATCH kairship:mallory-admin',
      'PATCH kairship:mallory-admin:cluster-proxy',
    ])
  })

  it('of a rule that was added by hand runs before anything is granted', async () => {
    const objects = storing(effects)
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

  it('of one object is not delayed by a failed removal of another', async () => {
    const objects = storing(effects)
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

  it('of one object is not delayed by hanging removals of others', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const objects = storing(effects)
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

  it('removes no role while a binding to it is still being removed', async () => {
    storing(effects)
    effects.host.script = () => ({})
    effects.bindings = [admin('mallory')]
    await effects.run(materializeRoleBindings)
    const store = effects.inside.script
    let goOn: () => void = () => undefined
    const opened = new Promise<void>(resolve => {
      goOn = resolve
    })
    effects.inside.script = async request => {
      if (request.method === 'DELETE' && request.path.includes('/clusterrolebindings/')) await opened
      return store(request)
    }
    const deleted = (type: string) =>
      effects.inside.lines.filter(line => line.startsWith('DELETE') && line.includes(`/${type}/`)).length
    effects.bindings = []
    const outcome = effects.run(materializeRoleBindings)
    await waitFor(() => expect(deleted('clusterrolebindings')).toBe(2))
    expect(deleted('clusterroles')).toBe(0)
    goOn()
    await outcome
    expect(deleted('clusterroles')).toBe(2)
  })

  it.each<[string, (actor: { stop(): unknown }) => void]>([
    ['the machine leaves its state', actor => actor.stop()],
    ['the term ends', () => effects.term.abort(new NotLeadingError('this replica no longer leads'))],
  ])('ends what is under way when %s, and begins nothing more', async (_, end) => {
    storing(effects)
    effects.host.script = () => ({})
    effects.bindings = [admin('mallory')]
    await effects.run(materializeRoleBindings)
    const store = effects.inside.script
    const signals: (AbortSignal | undefined)[] = []
    effects.inside.script = request => {
      if (request.method !== 'DELETE') return store(request)
      signals.push(request.signal)
      return new Promise((_, reject) =>
        request.signal?.addEventListener('abort', () => reject(request.signal?.reason)),
      )
    }
    const actor = effects.actor(removeRoleBindings)
    actor.subscribe({ error: () => undefined })
    effects.events.length = 0
    actor.start()
    await waitFor(() => expect(signals).toHaveLength(2))
    end(actor)
    expect(signals.map(signal => signal?.aborted)).toEqual([true, true])
    await waitFor(() => expect(effects.events).toHaveLength(2))
    expect(signals).toHaveLength(2)
  })

  it('covers the types that can be listed when another cannot', async () => {
    const objects = storing(effects)
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
