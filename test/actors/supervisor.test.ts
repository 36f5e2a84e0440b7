import { BehaviorSubject, NEVER, type Observable, of, Subject } from 'rxjs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { InstanceConnection } from '../../actors/connection.js'
import { Rush } from '../../actors/rush.js'
import { Supervisor } from '../../actors/supervisor.js'
import type { EffectEvent, Surroundings } from '../../actors/surroundings.js'
import { Turnstile } from '../../actors/turnstile.js'
import type { Instance } from '../../manifests/instance.js'
import type { Condition } from '../../manifests/kube.js'
import { instance } from '../machines/facts.js'
import { waitFor } from '../patience.js'
import { silent, unmetered } from '../silent.js'
import { refusal, type ScriptedApi, scriptedApi } from './scripted-api.js'

const INSTANCES = '/apis/kairship.io/v1alpha1/instances'

/** A watch on the host that shows what a test puts into it. */
function collection() {
  const objects = new Map<string, unknown>()
  return {
    objects,
    changes: new Subject<unknown>(),
    contact: new BehaviorSubject('made'),
    inContact: true,
    get: (key: string) => objects.get(key),
    follow: (key: string) => of(objects.get(key)),
    /** When a list that was asked for is there: at once, unless a test holds it back. */
    relisted: (): Observable<unknown> => of(undefined),
  }
}

let instances: ReturnType<typeof collection>
let api: ScriptedApi
/** Control planes by the kubeconfig that leads to them. */
let planes: Map<string, ScriptedApi>
let supervisor: Supervisor
let leading: boolean

beforeEach(() => {
  instances = collection()
  planes = new Map()
  api = scriptedApi()
  leading = true
  const connections = new Map<string, InstanceConnection>()
  const surroundings = {
    host: {
      api,
      instances,
      virtualClusters: collection(),
      registrations: collection(),
      karmadas: collection(),
      roleBindings: { all: collection(), of: () => [], factOf: () => ({ revision: '', count: 0 }) },
      secrets: {
        // The kubeconfig of an instance is its Secret's name.
        follow: (_namespace: string, name: string) => {
          const data = { kubeconfig: Buffer.from(name).toString('base64') }
          return planes.has(name) ? of({ secret: { data } }) : NEVER
        },
      },
    },
    connector: { connect: async (kubeconfig: string) => planes.get(kubeconfig) },
    log: silent,
    meter: unmetered,
    paces: { probeIntervalMs: 3_600_000, statusIntervalMs: 1_000, indexCanaryIntervalMs: 0 },
    random: () => 0.5,
    connectionOf: (name: string) => {
      const known = connections.get(name) ?? new InstanceConnection()
      connections.set(name, known)
      return known
    },
    freshness: { forget: () => undefined },
    canaryWrites: new Map(),
    gathering: new Turnstile(1),
    probing: new Turnstile(1_000),
    visiting: new Turnstile(1_000),
    writing: new Turnstile(1_000),
    rush: new Rush(() => 1_000),
    leadership: () => ({ leading, signal: new AbortController().signal }),
    effectChanged: (_: EffectEvent) => undefined,
  } as unknown as Surroundings
  supervisor = new Supervisor({ surroundings, disconnect: () => undefined })
  supervisor.start()
})
afterEach(() => supervisor.stop())

const observe = (object: Instance, type = 'ADDED') => {
  instances.objects.set(object.metadata.name, object)
  instances.changes.next({ type, object })
}
const lead = (now: boolean) => {
  leading = now
  supervisor.lead({ leading: now, signal: new AbortController().signal })
}
const listed = () => instances.changes.next({ type: 'SYNCED' })

describe('two instances of one control plane, made at the same moment', () => {
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

  it('are decided before anything is made outside, also when the younger one is reached first', async () => {
    let open: () => void = () => undefined
    plane('elder', new Promise(resolve => (open = resolve)))
    plane('younger', Promise.resolve())
    observe(adopting('younger', 2))
    observe(adopting('elder', 1))
    listed()
    lead(true)
    const knows = (name: string) => supervisor.registry.get(name)?.snapshot.context.facts.controlPlane?.ok
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
      new Set(['PATCH /apis/cluster.clusterpedia.io/v1alpha2/pediaclusters/k-elder']),
    )
  })
})

describe('a replica that won the lease', () => {
  const follows = () => supervisor.registry.get('alpha')?.snapshot.context.leading
  const list = () => {
    const lists = new Subject<unknown>()
    instances.relisted = () => lists
    return lists
  }

  it('acts for nothing before the Instances were listed since: what it holds may be older than what was done', () => {
    const lists = list()
    observe(instance({ finalizers: [] }))
    listed()
    lead(true)
    expect(follows()).toBe(false)
    lists.next(undefined)
    expect(follows()).toBe(true)
  })

  it('and lost it before they were listed never acts', () => {
    const lists = list()
    observe(instance({ finalizers: [] }))
    listed()
    lead(true)
    lead(false)
    lists.next(undefined)
    expect(follows()).toBe(false)
  })
})

describe('an actor that crashes', () => {
  /** An object that sets off a defect: whoever reads its finalizers throws. */
  const poisoned = (metadata: object): Instance =>
    ({
      ...instance(),
      metadata: {
        name: 'alpha',
        uid: 'uid-alpha',
        ...metadata,
        get finalizers(): string[] {
          throw new Error('a defect that this instance sets off')
        },
      },
    }) as Instance
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
    observe(poisoned({ resourceVersion: '5' }), 'MODIFIED')
  }

  it('is told in the CR by the leader: why, and that it is not ready', async () => {
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
        message: expect.stringMatching(/restarted within 1 s: a defect that this instance sets off/),
      },
    ])
  })

  it('is shown with its CR as that is by now, whoever changed it meanwhile', () => {
    crash()
    const told: string[] = []
    supervisor.registry.changes.subscribe(({ type, name }) => told.push(`${type} ${name}`))
    const shown = () => supervisor.registry.get('alpha')?.view().instance.metadata.resourceVersion
    expect(shown()).toBe('5')
    observe(instance({ resourceVersion: '6' }), 'MODIFIED')
    expect(shown()).toBe('6')
    expect(told).toEqual(['changed alpha'])
  })

  it('is not told by a follower, and is told by it when it comes to lead', async () => {
    storing()
    crash()
    await new Promise(setImmediate)
    expect(api.requests).toEqual([])
    lead(true)
    await waitFor(() => expect(stored.status?.phase).toBe('Degraded'))
  })

  it('is told over another writer, and not told twice', async () => {
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
