import { Subject } from 'rxjs'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { COMING_UP_AT_ONCE } from '../../../actors/fleet/startup-queue.js'
import type { Supervisor } from '../../../actors/fleet/supervisor.js'
import type { Instance } from '../../../manifests/instance.js'
import type { Condition } from '../../../manifests/kube.js'
import { instance } from '../../machines/instance/facts.js'
import { waitFor } from '../../patience.js'
import { refusal, type ScriptedApi, scriptedApi } from '../scripted-api.js'
import { FleetUnderTest, poisoned } from './fleet-under-test.js'

const INSTANCES = '/apis/kairship.io/v1alpha1/instances'

let fleet: FleetUnderTest
let instances: FleetUnderTest['instances']
let api: ScriptedApi
let planes: FleetUnderTest['planes']
let supervisor: Supervisor

beforeEach(() => {
  fleet = new FleetUnderTest()
  ;({ instances, api, planes, supervisor } = fleet)
})
afterEach(() => supervisor.stop())

const observe = (object: Instance, type?: string) => fleet.observe(object, type)
const lead = (now: boolean) => fleet.lead(now)
const listed = () => fleet.listed()

describe('two instances of one control plane, created at the same time', () => {
  /** A control plane under an address of its own, which answers when the gate opens. */
  const plane = (name: string, gate: Promise<void>) => {
    planes.set(
      name,
      scriptedApi(
        {
          'GET /readyz': () => gate.then(() => 'ok'),
          'GET /version': { gitVersion: 'v1.36.2' },
          'GET /api/v1/namespaces/kube-system': { metadata: { name: 'kube-system', uid: 'the-same' } },
          'GET /apis/cluster.karmada.io/v1alpha1': { resources: [{ name: 'clusters' }] },
        },
        `https://${name}`,
      ),
    )
  }
  const adopting = (name: string, second: number) =>
    instance({
      name,
      uid: name,
      creationTimestamp: `2026-01-01T00:00:0${second}Z`,
      spec: { kubeconfigSecretRef: { namespace: 'fleet', name } },
    })
  const made = () => api.lines.filter(line => line.includes('/pediaclusters/'))

  it('are decided before any external object is created, even when the younger one is reached first', async () => {
    let open: () => void = () => undefined
    plane('oldest', new Promise(resolve => (open = resolve)))
    plane('younger', Promise.resolve())
    observe(adopting('younger', 2))
    observe(adopting('oldest', 1))
    listed()
    lead(true)
    const knows = (name: string) => supervisor.registry.get(name)?.snapshot?.context.facts.controlPlane?.ok
    await waitFor(() => expect(knows('younger')).toBe(true))
    expect(made()).toEqual([])
    open()
    await waitFor(() => expect(made()).not.toEqual([]))
    await waitFor(() =>
      expect(supervisor.registry.get('younger')?.view().conditions).toContainEqual(
        expect.objectContaining({ type: 'Accepted', reason: 'DuplicateControlPlane' }),
      ),
    )
    expect(new Set(made())).toEqual(
      new Set(['PATCH /apis/cluster.clusterpedia.io/v1alpha2/pediaclusters/k-oldest']),
    )
  })

  it('are decided before the younger one is adopted, although the older one still waits to come up', async () => {
    plane('oldest', new Promise(() => undefined))
    plane('younger', Promise.resolve())
    const first = Array.from({ length: COMING_UP_AT_ONCE }, (_, index) => adopting(`first-${index}`, 9))
    for (const each of first) observe(each)
    listed()
    lead(true)
    observe(adopting('oldest', 1))
    observe(adopting('younger', 2))
    supervisor.hurry('younger')
    for (const each of first.slice(0, 1)) fleet.remove(each)
    const knows = () => supervisor.registry.get('younger')?.snapshot?.context.facts.controlPlane?.ok
    await waitFor(() => expect(knows()).toBe(true))
    expect(supervisor.registry.get('younger')?.snapshot?.context.facts.duplicate).toBeUndefined()
    expect(made()).toEqual([])
    fleet.remove(adopting('oldest', 1))
    await waitFor(() => expect(made()).not.toEqual([]))
  })

  it('leave the control plane to the younger one when the older one is deleted', async () => {
    plane('oldest', Promise.resolve())
    plane('younger', Promise.resolve())
    observe(adopting('oldest', 1))
    observe(adopting('younger', 2))
    listed()
    lead(true)
    const accepted = () =>
      supervisor.registry
        .get('younger')
        ?.view()
        .conditions.find(({ type }) => type === 'Accepted')?.reason
    await waitFor(() => expect(accepted()).toBe('DuplicateControlPlane'))
    fleet.remove(adopting('oldest', 1))
    await waitFor(() => expect(accepted()).toBe('Accepted'))
  })
})

describe('a replica that acquired the lease', () => {
  const follows = () => supervisor.registry.get('alpha')?.snapshot?.context.leading
  const list = () => {
    const lists = new Subject<unknown>()
    instances.relisted = () => lists
    return lists
  }

  it('acts only after a list of the Instances, because its facts may be older than another leader’s writes', () => {
    const lists = list()
    observe(instance({ finalizers: [] }))
    listed()
    lead(true)
    expect(follows()).toBe(false)
    lists.next(undefined)
    expect(follows()).toBe(true)
  })

  it('and lost it before that list never acts', () => {
    const lists = list()
    observe(instance({ finalizers: [] }))
    listed()
    lead(true)
    lead(false)
    lists.next(undefined)
    expect(follows()).toBe(false)
  })
})

describe('an instance behind as many as come up at once', () => {
  const born = (name: string, second: number, more: object = {}) =>
    instance({ name, uid: name, creationTimestamp: `2026-01-01T00:00:0${second}Z`, finalizers: [], ...more })
  const first = Array.from({ length: COMING_UP_AT_ONCE }, (_, index) => `first-${index}`)
  const isUp = (name: string) => supervisor.registry.get(name)?.snapshot !== undefined

  it('comes up at once when those before it crash as they come up', () => {
    for (const name of first) observe(poisoned(born(name, 0)))
    observe(born('next', 1))
    listed()
    expect(first.filter(isUp)).toEqual([])
    expect(isUp('next')).toBe(true)
  })

  it('is the next when its deletion is requested while it waits', () => {
    for (const name of first) observe(born(name, 0))
    observe(born('next', 1))
    observe(born('deleted', 2))
    listed()
    observe(born('deleted', 2, { deletionTimestamp: '2026-01-01T00:01:00Z' }), 'MODIFIED')
    expect(['next', 'deleted'].filter(isUp)).toEqual([])
    const order: string[] = []
    supervisor.registry.changes.subscribe(({ name }) => {
      if (!first.includes(name) && isUp(name)) order.push(name)
    })
    fleet.remove(born('first-0', 0))
    expect(order[0]).toBe('deleted')
  })

  it('that is deleted and made again while it waits comes up once, as what it is now', () => {
    for (const name of first) observe(born(name, 0))
    observe(born('again', 1))
    listed()
    fleet.remove(born('again', 1))
    observe(born('again', 2, { uid: 'another' }))
    observe(born('next', 3))
    for (const name of first.slice(0, 2)) fleet.remove(born(name, 0))
    expect(supervisor.registry.get('again')?.snapshot?.context.instance.metadata.uid).toBe('another')
    expect(isUp('next')).toBe(true)
  })

  it('does not come up any more once the supervisor is stopped', () => {
    const other = new FleetUnderTest()
    for (const name of [...first, 'next']) other.observe(born(name, 0))
    other.listed()
    const next = other.supervisor.registry.get('next')
    other.supervisor.stop()
    expect([next?.name, next?.snapshot]).toEqual(['next', undefined])
  })
})

describe('an actor that crashes', () => {
  /** The CR as the host has it, and what was written to it. */
  let stored: Instance
  const written = () => api.requests.filter(({ method }) => method === 'PATCH')
  const storing = (conflicts = 0) => {
    let left = conflicts
    api.script = ({ method, body }) => {
      if (method === 'GET') return stored
      if (left-- > 0) return refusal(409, 'Conflict')
      const { status } = body as { status: object }
      stored = { ...stored, status: { ...stored.status, ...status } }
      return stored
    }
  }
  const ready: Condition[] = [
    { type: 'Accepted', status: 'True', reason: 'Accepted', message: '', lastTransitionTime: 't' },
    { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: 't' },
  ]
  beforeEach(() => {
    stored = instance({ resourceVersion: '5', status: { phase: 'Ready', conditions: ready } })
  })
  const crash = () => {
    observe(instance({ status: { phase: 'Ready', conditions: ready } }))
    listed()
    observe(poisoned(instance({ resourceVersion: '5' })), 'MODIFIED')
  }

  it('is reported in the CR by the leader, with the cause, as not ready', async () => {
    storing()
    lead(true)
    crash()
    await waitFor(() => expect(written()).toHaveLength(1))
    expect(written()[0]).toMatchObject({
      path: `${INSTANCES}/alpha/status`,
      contentType: 'application/merge-patch+json',
      body: { metadata: { resourceVersion: '5' }, status: { phase: 'Degraded' } },
    })
    expect(stored.status?.conditions).toMatchObject([
      { type: 'Accepted', status: 'True' },
      {
        type: 'Ready',
        status: 'False',
        reason: 'Crashed',
        message: expect.stringMatching(/restarted within 1 s: a defect that this instance triggers/),
      },
    ])
  })

  it('that is gone is not restarted, and neither is one that is made again under its name', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const started = vi.spyOn(supervisor.registry, 'start')
    crash()
    fleet.remove(instance())
    observe(instance({ uid: 'another' }))
    const before = started.mock.calls.length
    vi.advanceTimersByTime(10_000)
    expect(started).toHaveBeenCalledTimes(before)
  })

  it('is listed with its last observed CR', () => {
    crash()
    const changes: string[] = []
    supervisor.registry.changes.subscribe(({ type, name }) => changes.push(`${type} ${name}`))
    const shown = () => supervisor.registry.get('alpha')?.view().instance.metadata.resourceVersion
    expect(shown()).toBe('5')
    observe(instance({ resourceVersion: '6' }), 'MODIFIED')
    expect(shown()).toBe('6')
    expect(changes).toEqual(['changed alpha'])
  })

  it('is not reported by a follower, and is reported once that follower leads', async () => {
    storing()
    crash()
    await new Promise(setImmediate)
    expect(api.requests).toEqual([])
    lead(true)
    await waitFor(() => expect(stored.status?.phase).toBe('Degraded'))
  })

  it('is reported once, even when others write the CR', async () => {
    storing(2)
    lead(true)
    crash()
    await waitFor(() => expect(stored.status?.phase).toBe('Degraded'))
    const before = written().length
    expect(before).toBe(3)
    const asked = api.requests.length
    lead(false)
    lead(true)
    await waitFor(() => expect(api.requests.length).toBeGreaterThan(asked))
    await new Promise(setImmediate)
    expect(written()).toHaveLength(before)
  })

  it.each([
    ['is gone', () => undefined],
    ['is another of the same name', () => instance({ uid: 'successor' })],
  ])('writes nothing when the CR %s', async (_what, live) => {
    api.script = live
    lead(true)
    crash()
    await waitFor(() => expect(api.requests).toHaveLength(1))
    await new Promise(setImmediate)
    expect(written()).toEqual([])
  })
})
