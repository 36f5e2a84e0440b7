import { BehaviorSubject, Subject } from 'rxjs'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { OrphanSweep } from '../../../actors/fleet/orphan-sweep.js'
import { kept } from '../../../actors/host/kept-object.js'
import { ConcurrencyLimiter } from '../../../actors/instance/concurrency-limiter.js'
import type { InstanceDependencies } from '../../../actors/instance/dependencies.js'
import {
  publishRegistration,
  withdrawRegistration,
} from '../../../actors/instance/effects/instance-registry.js'
import type { InstanceRoleBinding } from '../../../manifests/instance-role-binding.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { labelsOf } from '../../../manifests/names.js'
import { instance } from '../../machines/instance/facts.js'
import { waitFor } from '../../patience.js'
import { silent, unmetered } from '../../silent.js'
import { EffectsUnderTest } from '../effects-under-test.js'
import { refusal, scriptedApi } from '../scripted-api.js'

const REGISTRATIONS = '/apis/kairship.io/v1alpha1/instanceregistrations'
const effects = new EffectsUnderTest()
afterEach(() => void vi.useRealTimers())

/** A watched type whose objects a test puts there. */
function watched<T extends KubeObject>() {
  const objects = new Map<string, T>()
  const changes = new Subject<unknown>()
  return {
    changes,
    contact: new BehaviorSubject<unknown>('made'),
    inContact: true,
    get: (name: string) => objects.get(name),
    values: () => objects.values(),
    show(object: T) {
      objects.set(object.metadata.name, object)
      changes.next({ type: 'ADDED', object })
    },
  }
}

function sweeping({ leading = true }: { leading?: boolean } = {}) {
  const api = scriptedApi()
  const host = {
    api,
    instances: watched(),
    virtualClusters: watched(),
    registrations: watched(),
    roleBindings: { sources: { bindings: watched<InstanceRoleBinding>() } },
  }
  const leadership = { leading, signal: new AbortController().signal }
  const sweep = new OrphanSweep(
    {
      host,
      log: silent,
      meter: unmetered,
      leadership: () => leadership,
      writing: new ConcurrencyLimiter(16),
      visiting: new ConcurrencyLimiter(16),
      effectChanged: () => undefined,
    } as unknown as InstanceDependencies,
    0,
  )
  onTestFinished(() => sweep.stop())
  sweep.start()
  return {
    api,
    host,
    sweep,
    leadership,
    deletions: () => api.lines.filter(line => line.startsWith('DELETE')),
  }
}

const shown = (name: string, more: Partial<KubeObject['metadata']> = {}) =>
  kept(() => undefined)({
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'InstanceRegistration',
    metadata: { name, uid: `uid-${name}`, resourceVersion: '7', labels: labelsOf(name), ...more },
  })

it('removes an object that a late request created after its deletion was confirmed', async () => {
  let execute: () => unknown = () => undefined
  let stored: KubeObject | undefined
  effects.host.script = ({ method, body }) => {
    if (method !== 'PATCH') return stored
    // As an API server that had the request when its caller gave up: it executes it all the same.
    return new Promise(() => {
      execute = () =>
        (stored = { ...(body as KubeObject), metadata: { ...(body as KubeObject).metadata, uid: 'u' } })
    })
  }
  const making = effects.actor(publishRegistration)
  making.start()
  await waitFor(() => expect(effects.host.lines).toHaveLength(1))
  making.stop()
  expect(await effects.run(withdrawRegistration)).toBe('gone')
  execute()
  expect(stored?.metadata.ownerReferences).toEqual([
    { apiVersion: 'kairship.io/v1alpha1', kind: 'Instance', name: 'alpha', uid: 'uid-alpha' },
  ])
  const { host, api, deletions } = sweeping()
  api.script = ({ method }) => (method === 'DELETE' ? {} : refusal(404, 'NotFound'))
  host.registrations.show(kept(() => undefined)(stored as KubeObject))
  await waitFor(() => expect(deletions()).toEqual([`DELETE ${REGISTRATIONS}/alpha`]))
})

it('removes exactly the observed objects, when leadership begins', async () => {
  const { api, host, sweep, leadership, deletions } = sweeping({ leading: false })
  api.script = ({ method }) => (method === 'DELETE' ? {} : refusal(404, 'NotFound'))
  host.registrations.show(shown('gone'))
  expect(api.lines).toEqual([])
  leadership.leading = true
  sweep.look()
  await waitFor(() => expect(deletions()).toHaveLength(1))
  expect(api.requests.at(-1)?.body).toEqual({ preconditions: { uid: 'uid-gone', resourceVersion: '7' } })
})

it.each<[string, (world: ReturnType<typeof sweeping>) => void]>([
  ['of an Instance that exists', ({ host }) => host.instances.show(instance({ name: 'alpha' }))],
  ['of an Instance that the watch does not show yet', ({ api }) => (api.script = () => instance())],
  ['while the Instances are unknown', ({ host }) => (host.instances.inContact = false)],
  ['while its type is not watched', ({ host }) => (host.registrations.inContact = false)],
  ['while this replica does not lead', ({ leadership }) => (leadership.leading = false)],
  [
    'that the host can’t be asked about',
    ({ api }) => (api.script = () => refusal(503, 'ServiceUnavailable')),
  ],
])('keeps an object %s', async (_what, arrange) => {
  vi.useFakeTimers()
  const world = sweeping()
  world.api.script = () => refusal(404, 'NotFound')
  arrange(world)
  world.host.registrations.show(shown('alpha'))
  await vi.advanceTimersByTimeAsync(120_000)
  expect(world.deletions()).toEqual([])
})

it('keeps objects of others, and objects that are being deleted', async () => {
  const { api, host, deletions } = sweeping()
  api.script = ({ method }) => (method === 'DELETE' ? {} : refusal(404, 'NotFound'))
  host.registrations.show(shown('others', { labels: { 'kairship.io/instance': 'others' } }))
  host.registrations.show(shown('going', { deletionTimestamp: '2026-01-01T00:00:00Z' }))
  host.registrations.show(shown('orphan'))
  await waitFor(() => expect(deletions()).toEqual([`DELETE ${REGISTRATIONS}/orphan`]))
})

it('keeps an object that changed since it was observed, and continues with others', async () => {
  const { api, host, deletions } = sweeping()
  api.script = ({ method, path }) =>
    method === 'DELETE' && path.endsWith('/adopted') ? refusal(409, 'Conflict') : refusal(404, 'NotFound')
  host.registrations.show(shown('adopted'))
  host.registrations.show(shown('orphan'))
  await waitFor(() =>
    expect(deletions()).toEqual([`DELETE ${REGISTRATIONS}/adopted`, `DELETE ${REGISTRATIONS}/orphan`]),
  )
})

it('goes on to all others past an object that the host refuses to delete, and comes back to it', async () => {
  vi.useFakeTimers()
  const { api, host, deletions } = sweeping()
  api.script = ({ method, path }) => {
    if (method === 'GET') return refusal(404, 'NotFound')
    return path.endsWith('/held') ? refusal(500, 'InternalError') : {}
  }
  host.virtualClusters.show({ ...shown('held'), kind: 'PediaCluster' })
  host.registrations.show(shown('held'))
  host.registrations.show(shown('orphan'))
  host.roleBindings.sources.bindings.show(binding)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(deletions().map(line => line.split('/').at(-1))).toEqual(['held', 'held', 'orphan'])
  expect(api.lines.at(-1)).toMatch(/^PATCH .*\/team\/status$/)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(deletions().filter(line => line.endsWith('/held'))).toHaveLength(4)
})

it('sweeps no more once what the host refused was deleted', async () => {
  vi.useFakeTimers()
  const { api, host, deletions } = sweeping()
  let isHeld = true
  api.script = ({ method }) => {
    if (method === 'GET') return refusal(404, 'NotFound')
    return isHeld ? refusal(500, 'InternalError') : {}
  }
  host.registrations.show(shown('held'))
  await vi.advanceTimersByTimeAsync(1_000)
  isHeld = false
  await vi.advanceTimersByTimeAsync(300_000)
  expect(deletions()).toHaveLength(2)
})

it('asks nothing about others while the host wants to be left alone', async () => {
  vi.useFakeTimers()
  const { api, host, deletions } = sweeping()
  api.script = ({ method }) =>
    method === 'DELETE' ? refusal(429, 'TooManyRequests') : refusal(404, 'NotFound')
  host.registrations.show(shown('first'))
  host.registrations.show(shown('second'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(new Set(deletions())).toEqual(new Set([`DELETE ${REGISTRATIONS}/first`]))
})

it.each([
  ['one', ['held'], ''],
  ['three', ['held', 'kept', 'stuck'], ' (and 2 more)'],
])('the log says what the host refused, and how many more: %s', async (_, names, more) => {
  vi.useFakeTimers()
  const warn = vi.spyOn(silent, 'warn')
  onTestFinished(() => warn.mockRestore())
  const { api, host } = sweeping()
  api.script = ({ method }) => (method === 'GET' ? refusal(404, 'NotFound') : refusal(500, 'InternalError'))
  for (const name of names) host.registrations.show(shown(name))
  await vi.advanceTimersByTimeAsync(1_000)
  const [{ err }] = warn.mock.lastCall as unknown as [{ readonly err: Error }]
  expect(err.message).toBe(`${(err.cause as Error).message}${more}`)
})

it('retries when the host did not answer, and sweeps later orphans', async () => {
  vi.useFakeTimers()
  const { api, host, deletions } = sweeping()
  let available = false
  api.script = ({ method }) => {
    if (!available) return refusal(503, 'ServiceUnavailable')
    return method === 'DELETE' ? {} : refusal(404, 'NotFound')
  }
  host.registrations.show(shown('orphan'))
  await vi.advanceTimersByTimeAsync(30_000)
  available = true
  await vi.advanceTimersByTimeAsync(60_000)
  expect(deletions()).toEqual([`DELETE ${REGISTRATIONS}/orphan`])
})

it('sweeps when the watch of a type is current again', async () => {
  vi.useFakeTimers()
  const { api, host, deletions } = sweeping()
  api.script = ({ method }) => (method === 'DELETE' ? {} : refusal(404, 'NotFound'))
  host.registrations.inContact = false
  host.registrations.show(shown('orphan'))
  await vi.advanceTimersByTimeAsync(30_000)
  expect(deletions()).toEqual([])
  host.registrations.inContact = true
  host.registrations.contact.next('made')
  await vi.advanceTimersByTimeAsync(30_000)
  expect(deletions()).toEqual([`DELETE ${REGISTRATIONS}/orphan`])
})

const binding: InstanceRoleBinding = {
  apiVersion: 'kairship.io/v1alpha1',
  kind: 'InstanceRoleBinding',
  metadata: { name: 'team', uid: 'team', generation: 1, resourceVersion: '1' },
  spec: { instance: 'alpha', role: 'Viewer', subjects: [{ kind: 'User', name: 'ada' }] },
}

it('reports nothing about a role binding whose Instance the watch has not delivered yet', async () => {
  vi.useFakeTimers()
  const { api, host } = sweeping()
  api.script = () => instance()
  host.roleBindings.sources.bindings.show(binding)
  await vi.advanceTimersByTimeAsync(120_000)
  expect(api.lines).toEqual(['GET /apis/kairship.io/v1alpha1/instances/alpha'])
})

it('reports once that the Instance of a role binding does not exist', async () => {
  const { api, host } = sweeping()
  api.script = ({ method }) => (method === 'PATCH' ? {} : refusal(404, 'NotFound'))
  host.roleBindings.sources.bindings.show(binding)
  await waitFor(() => expect(api.lines.at(-1)).toMatch(/^PATCH .*\/team\/status$/))
  const { status } = api.requests.at(-1)!.body as Pick<InstanceRoleBinding, 'status'>
  expect(status?.conditions).toMatchObject([{ status: 'False', reason: 'InstanceNotFound' }])
  const asked = api.lines.length
  vi.useFakeTimers()
  host.roleBindings.sources.bindings.show({ ...binding, ...(status && { status }) })
  await vi.advanceTimersByTimeAsync(120_000)
  expect(api.lines).toHaveLength(asked)
})
