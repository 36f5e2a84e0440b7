import { describe, expect, it } from 'vitest'
import { addFinalizer, removeFinalizer } from '../../actors/instance/effects/finalizer.js'
import { publishRegistration } from '../../actors/instance/effects/instance-registry.js'
import { happeningBetween, writeStatus } from '../../actors/instance/effects/status-sync.js'
import { FINALIZER } from '../../machines/instance/facts.js'
import type { InstancePhase, InstanceStatus } from '../../manifests/instance.js'
import type { InstanceRoleBinding } from '../../manifests/instance-role-binding.js'
import { instance } from '../machines/instance/facts.js'
import { waitFor } from '../patience.js'
import { EffectsUnderTest, failing } from './effects-under-test.js'
import { refusal } from './scripted-api.js'

const INSTANCES = '/apis/kairship.io/v1alpha1/instances'
const effects = new EffectsUnderTest()

describe('any effect', () => {
  it('sends no request while this replica does not lead', async () => {
    effects.leading = false
    expect(await failing(effects.run(publishRegistration))).toBe('NotLeading: this replica does not lead')
    expect(effects.host.requests).toEqual([])
    expect(effects.events.map(({ phase }) => phase)).toEqual(['began', 'aborted'])
  })

  it('reports an abort and ends its request', async () => {
    let signal: AbortSignal | undefined
    effects.host.script = request => {
      signal = request.signal
      return new Promise((_, reject) =>
        request.signal?.addEventListener('abort', () => reject(request.signal?.reason)),
      )
    }
    const actor = effects.actor(publishRegistration)
    actor.start()
    await waitFor(() => expect(signal).toBeDefined())
    actor.stop()
    await waitFor(() => expect(effects.events.map(({ phase }) => phase)).toEqual(['began', 'aborted']))
    expect(signal?.aborted).toBe(true)
  })
})

describe('the finalizer', () => {
  const bare = instance({ finalizers: [], resourceVersion: '7' })

  it('is added with the observed resourceVersion, and no other', async () => {
    effects.host.script = () => ({})
    expect(await effects.run(addFinalizer, { of: bare })).toBe('held')
    expect(effects.host.requests[0]).toMatchObject({
      method: 'PATCH',
      path: `${INSTANCES}/alpha`,
      body: [
        { op: 'test', path: '/metadata/uid', value: 'uid-alpha' },
        { op: 'test', path: '/metadata/resourceVersion', value: '7' },
        { op: 'add', value: expect.anything() },
      ],
    })
    effects.host.script = () => refusal(422, 'Invalid', 'the server rejected our request')
    expect(await failing(effects.run(addFinalizer, { of: bare }))).toMatch(
      /^Conflict: instance alpha changed/,
    )
  })

  it('is not added twice', async () => {
    expect(await effects.run(addFinalizer)).toBe('held')
    expect(effects.host.requests).toEqual([])
  })

  it('is removed, and finalizers of others stay', async () => {
    const live = instance({ finalizers: ['others.io/a', FINALIZER] })
    effects.host.script = ({ method }) => (method === 'GET' ? live : {})
    await effects.run(removeFinalizer)
    expect(effects.host.requests.at(-1)?.body).toEqual([
      { op: 'test', path: '/metadata/finalizers/1', value: FINALIZER },
      { op: 'remove', path: '/metadata/finalizers/1' },
    ])
  })

  it.each([
    ['the CR is gone', undefined],
    ['another CR bears the name', instance({ uid: 'another' })],
    ['it was removed', instance({ finalizers: [] })],
  ])('is not removed when %s', async (_why, live) => {
    effects.host.script = () => live
    expect(await effects.run(removeFinalizer)).toBe('gone')
    expect(effects.host.lines).toEqual([`GET ${INSTANCES}/alpha`])
  })
})

describe('the last teardown step', () => {
  const live = instance({ finalizers: [FINALIZER], deletionTimestamp: '2026-01-01T00:00:00Z' })
  const binding = (name: string): InstanceRoleBinding => ({
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'InstanceRoleBinding',
    metadata: { name, uid: name, generation: 1, resourceVersion: '1' },
    spec: { instance: 'alpha', role: 'Viewer', subjects: [{ kind: 'User', name: 'ada' }] },
  })

  it('records leftovers in an Event, if the Instance still exists', async () => {
    effects.host.script = ({ method }) => (method === 'GET' ? live : {})
    await effects.run(removeFinalizer, { leftBehind: ['PediaCluster k-alpha was not deleted: not served'] })
    expect(effects.happenings).toEqual([
      { type: 'Warning', reason: 'LeftBehind', message: 'PediaCluster k-alpha was not deleted: not served' },
    ])
  })

  it('reports each role binding as no longer in effect, then removes the finalizer', async () => {
    effects.bindings = [binding('team'), binding('others')]
    effects.host.script = ({ method }) => (method === 'GET' ? live : {})
    await effects.run(removeFinalizer)
    const patches = effects.host.requests.filter(({ method }) => method === 'PATCH')
    expect(patches.map(({ path }) => path.split('/').slice(-2).join('/'))).toEqual([
      'team/status',
      'others/status',
      'instances/alpha',
    ])
    expect(patches[0]?.body).toMatchObject({
      status: { conditions: [{ type: 'Materialized', status: 'False', reason: 'InstanceNotFound' }] },
    })
  })

  it('ends even when the status of a role binding cannot be written', async () => {
    effects.bindings = [binding('team')]
    effects.host.script = ({ method, path }) =>
      path.includes('instancerolebindings') ? refusal(403, 'Forbidden') : method === 'GET' ? live : {}
    expect(await effects.run(removeFinalizer)).toBe('gone')
    expect(effects.host.lines.at(-1)).toBe(`PATCH ${INSTANCES}/alpha`)
  })
})

describe('Events on an Instance', () => {
  const ready = (status: 'True' | 'False', reason: string, message = `because ${reason}`) => ({
    ...{ type: 'Ready', status, reason, message },
    lastTransitionTime: '2026-01-01T00:00:00Z',
  })
  const status = (phase: InstancePhase, ...conditions: ReturnType<typeof ready>[]) => ({ phase, conditions })
  const up = status('Ready', ready('True', 'Ready'))
  const away = status('Degraded', ready('False', 'Unreachable'))

  it.each<[string, InstanceStatus | undefined, InstanceStatus, string | undefined]>([
    ['that it became ready', status('Registering'), up, 'Normal Ready: because Ready'],
    ['that it is degraded, and why', up, away, 'Warning Degraded: because Unreachable'],
    [
      'another cause',
      away,
      status('Degraded', ready('False', 'NotServed')),
      'Warning NotServed: because NotServed',
    ],
    ['not the same cause again', away, status('Degraded', ready('False', 'Unreachable', 'again')), undefined],
    [
      'why it does not come up',
      undefined,
      status('Registering', ready('False', 'SecretNotFound')),
      'Warning SecretNotFound: because SecretNotFound',
    ],
    [
      'not that it comes up as it should',
      undefined,
      status('Registering', ready('False', 'NotCreated')),
      undefined,
    ],
    [
      'that it is being deleted',
      up,
      status('Deleting', ready('False', 'Deleting', 'cleaning up')),
      'Normal Deleting: cleaning up',
    ],
    [
      'what delays its deletion',
      status('Deleting', ready('False', 'Deleting', 'cleaning up')),
      status('Deleting', ready('False', 'Deleting', 'removing role bindings: no route')),
      'Warning DeletionDelayed: removing role bindings: no route',
    ],
  ])('%s', (_what, before, after, expected) => {
    const happening = happeningBetween(before, after)
    expect(happening && `${happening.type} ${happening.reason}: ${happening.message}`).toBe(expected)
  })

  it('are recorded after a successful status write, and not after a failed one', async () => {
    const seen = instance({ resourceVersion: '9', status: up })
    effects.host.script = () => refusal(409, 'Conflict')
    await failing(effects.run(writeStatus, { of: seen, wanted: JSON.stringify(away) }))
    expect(effects.happenings).toEqual([])
    effects.host.script = () => instance({ status: away })
    await effects.run(writeStatus, { of: seen, wanted: JSON.stringify(away) })
    expect(effects.happenings).toMatchObject([{ reason: 'Degraded' }])
  })
})

describe('the status', () => {
  const wanted = (phase: string) => JSON.stringify({ phase, conditions: [] })
  const seenCr = instance({ resourceVersion: '9', status: { phase: 'Registering', conditions: [] } })

  it('is written as a patch with the observed resourceVersion', async () => {
    effects.host.script = () => instance({ status: { phase: 'Ready', conditions: [] } })
    await effects.run(writeStatus, { of: seenCr, wanted: wanted('Ready') })
    expect(effects.host.requests[0]).toMatchObject({
      path: `${INSTANCES}/alpha/status`,
      body: { metadata: { resourceVersion: '9' }, status: { phase: 'Ready' } },
    })
  })

  it('is not written when it is equal', async () => {
    await effects.run(writeStatus, { of: seenCr, wanted: wanted('Registering') })
    expect(effects.host.requests).toEqual([])
  })

  it.each([
    [
      'another writer',
      refusal(409, 'Conflict', 'the object has been modified'),
      'Conflict: the object has been modified',
    ],
    ['a CR that went meanwhile', refusal(404, 'NotFound'), 'succeeded'],
    ['a server in trouble', refusal(503, 'ServiceUnavailable', 'later'), 'Unavailable: later'],
  ])('handles %s', async (_what, answer, outcome) => {
    effects.host.script = () => answer
    expect(await failing(effects.run(writeStatus, { of: seenCr, wanted: wanted('Ready') }))).toBe(outcome)
  })
})
