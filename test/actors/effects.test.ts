import { beforeEach, describe, expect, it } from 'vitest'
import { createActor, type PromiseActorLogic, toPromise } from 'xstate'
import { InstanceConnection } from '../../actors/connection.js'
import { addFinalizer, removeFinalizer } from '../../actors/finalizer.js'
import { install, uninstall } from '../../actors/installation.js'
import { publishRegistration, withdrawRegistration } from '../../actors/instance-registry.js'
import { kept } from '../../actors/outside-object.js'
import { materializeRoleBindings, removeRoleBindings } from '../../actors/role-bindings.js'
import { writeStatus } from '../../actors/status-sync.js'
import type { EffectEvent, Surroundings } from '../../actors/surroundings.js'
import { Turnstile } from '../../actors/turnstile.js'
import { deleteVirtualCluster, ensureVirtualCluster } from '../../actors/virtual-cluster-sync.js'
import { FINALIZER } from '../../machines/facts.js'
import type { Assignment } from '../../machines/task.js'
import type { Instance } from '../../manifests/instance.js'
import type { InstanceRoleBinding } from '../../manifests/instance-role-binding.js'
import type { KubeObject } from '../../manifests/kube.js'
import { labelsOf } from '../../manifests/names.js'
import { instance } from '../machines/facts.js'
import { waitFor } from '../patience.js'
import { refusal, type ScriptedApi, scriptedApi } from './scripted-api.js'

const INSTANCES = '/apis/kairship.io/v1alpha1/instances'
const PEDIA = '/apis/cluster.clusterpedia.io/v1alpha2/pediaclusters/k-alpha'
const REGISTRATION = '/apis/kairship.io/v1alpha1/instanceregistrations/alpha'
const KARMADA = '/apis/operator.karmada.io/v1alpha1/namespaces/karmada-alpha/karmadas/alpha'
const RBAC = '/apis/rbac.authorization.k8s.io/v1'

/** Nobody else wants in. */
const turns = { writing: new Turnstile(1), visiting: new Turnstile(1) }

type Effect = (surroundings: Surroundings) => PromiseActorLogic<string, Assignment>

/** What the watches on the host show. */
let seen: {
  virtualClusters: Map<string, unknown>
  registrations: Map<string, unknown>
  karmadas: Map<string, unknown>
}
let host: ScriptedApi
let inside: ScriptedApi
let connection: InstanceConnection
let bindings: InstanceRoleBinding[]
let events: EffectEvent[]
let leading: boolean

beforeEach(() => {
  seen = { virtualClusters: new Map(), registrations: new Map(), karmadas: new Map() }
  host = scriptedApi()
  inside = scriptedApi()
  connection = new InstanceConnection()
  connection.replace({ api: inside, kubeconfig: 'kind: Config', fingerprint: 'one' })
  bindings = []
  events = []
  leading = true
})

/** Runs an effect once, as the chart would. */
function run(
  effect: Effect,
  { of = instance(), wanted = '' }: { of?: Instance; wanted?: string } = {},
): Promise<string> {
  const surroundings = {
    host: { api: host, ...seen, roleBindings: { of: () => bindings } },
    connectionOf: () => connection,
    canaryWrites: new Map(),
    ...turns,
    leadership: () => ({ leading, signal: new AbortController().signal }),
    writing: new Turnstile(16),
    visiting: new Turnstile(32),
    effectChanged: (event: EffectEvent) => events.push(event),
  } as unknown as Surroundings
  const actor = createActor(effect(surroundings), {
    input: { name: 'alpha', instance: of, facts: {}, wanted },
  })
  const done = toPromise(actor)
  actor.start()
  return done
}
const failing = (promise: Promise<unknown>) =>
  promise.then(
    () => 'succeeded',
    ({ failure }) => `${failure.reason}: ${failure.message}`,
  )
/** An object as a server stores what was applied. */
const stored = ({ body }: { body?: unknown }) => ({
  ...(body as KubeObject),
  metadata: { ...(body as KubeObject).metadata, uid: 'u1' },
})
/** Puts what an effect applied where the watch would show it. */
const shown = (request: { body?: unknown } | undefined) =>
  kept(() => undefined)(stored(request ?? {}) as KubeObject)

describe('any effect', () => {
  it('asks for nothing when this replica does not lead, whatever it was told', async () => {
    leading = false
    expect(await failing(run(publishRegistration))).toBe('NotLeading: this replica does not lead')
    expect(host.requests).toEqual([])
    expect(events.map(({ phase }) => phase)).toEqual(['began', 'failed'])
  })

  it('that is aborted says so and ends its request', async () => {
    let signal: AbortSignal | undefined
    host.script = request => {
      signal = request.signal
      return new Promise((_, reject) =>
        request.signal?.addEventListener('abort', () => reject(request.signal?.reason)),
      )
    }
    const surroundings = {
      ...turns,
      host: { api: host, ...seen },
      leadership: () => ({ leading: true, signal: new AbortController().signal }),
      writing: new Turnstile(16),
      visiting: new Turnstile(32),
      effectChanged: (event: EffectEvent) => events.push(event),
    } as unknown as Surroundings
    const actor = createActor(publishRegistration(surroundings), {
      input: { name: 'alpha', instance: instance(), facts: {}, wanted: '' },
    })
    actor.start()
    await waitFor(() => expect(signal).toBeDefined())
    actor.stop()
    await waitFor(() => expect(events.map(({ phase }) => phase)).toEqual(['began', 'aborted']))
    expect(signal?.aborted).toBe(true)
  })
})

describe('the finalizer', () => {
  const bare = instance({ finalizers: [], resourceVersion: '7' })

  it('is added over the version that was seen, and over no other', async () => {
    host.script = () => ({})
    expect(await run(addFinalizer, { of: bare })).toBe('held')
    expect(host.requests[0]).toMatchObject({
      method: 'PATCH',
      path: `${INSTANCES}/alpha`,
      body: [
        { op: 'test', path: '/metadata/uid', value: 'uid-alpha' },
        { op: 'test', path: '/metadata/resourceVersion', value: '7' },
        { op: 'add', value: expect.anything() },
      ],
    })
    host.script = () => refusal(422, 'Invalid', 'the server rejected our request')
    expect(await failing(run(addFinalizer, { of: bare }))).toMatch(/^Conflict: instance alpha changed/)
  })

  it('that is there is not added again', async () => {
    expect(await run(addFinalizer)).toBe('held')
    expect(host.requests).toEqual([])
  })

  it('is removed where it is, and nobody else’s with it', async () => {
    const live = instance({ finalizers: ['others.io/a', FINALIZER] })
    host.script = ({ method }) => (method === 'GET' ? live : {})
    await run(removeFinalizer)
    expect(host.requests.at(-1)?.body).toEqual([
      { op: 'test', path: '/metadata/finalizers/1', value: FINALIZER },
      { op: 'remove', path: '/metadata/finalizers/1' },
    ])
  })

  it.each([
    ['the CR is gone', undefined],
    ['another CR bears the name', instance({ uid: 'another' })],
    ['somebody removed it', instance({ finalizers: [] })],
  ])('is not removed when %s', async (_why, live) => {
    host.script = () => live
    expect(await run(removeFinalizer)).toBe('gone')
    expect(host.lines).toEqual([`GET ${INSTANCES}/alpha`])
  })
})

describe.each([
  ['the virtual cluster', ensureVirtualCluster, 'virtualClusters', 'k-alpha', PEDIA],
  ['the registration', publishRegistration, 'registrations', 'alpha', REGISTRATION],
] as const)('%s', (_what, effect, collection, name, path) => {
  it('is applied once: what our watch shows as made is not written again', async () => {
    host.script = stored
    const outcome = await run(effect)
    expect(host.lines).toEqual([`PATCH ${path}`])
    expect(host.requests[0]).toMatchObject({
      contentType: 'application/apply-patch+yaml',
      query: { fieldManager: 'kairship', force: true },
    })
    seen[collection].set(name, shown(host.requests[0]))
    expect(await run(effect)).toBe(outcome)
    expect(host.requests).toHaveLength(1)
  })

  it('that somebody changed is put right', async () => {
    host.script = stored
    await run(effect)
    const changed = { ...(host.requests[0]!.body as object), spec: { changed: true } }
    seen[collection].set(name, shown({ body: changed }))
    await run(effect)
    expect(host.requests).toHaveLength(2)
  })

  it('that is on its way out is waited for', async () => {
    host.script = stored
    await run(effect)
    const made = shown(host.requests[0])
    seen[collection].set(name, { ...made, outside: { ...made.outside, deleting: true } })
    expect(await failing(run(effect))).toMatch(/^StillThere: \w+ \S+ is being deleted$/)
  })
})

describe('the virtual cluster', () => {
  it('of somebody else’s making is left alone', async () => {
    seen.virtualClusters.set('k-alpha', {
      metadata: { name: 'k-alpha' },
      outside: { revision: 'x', deleting: false },
    })
    expect(await failing(run(ensureVirtualCluster))).toBe(
      'Conflict: PediaCluster k-alpha exists and was not made by Kairship',
    )
    expect(host.requests).toEqual([])
  })

  it('needs a connection to take the kubeconfig from', async () => {
    connection.replace(undefined)
    expect(await failing(run(ensureVirtualCluster))).toMatch(/^Unreachable: there is no connection/)
  })
})

describe.each([
  ['the virtual cluster', deleteVirtualCluster, PEDIA, 'PediaCluster k-alpha'],
  ['the registration', withdrawRegistration, REGISTRATION, 'InstanceRegistration alpha'],
] as const)('taking %s away', (_what, effect, path, called) => {
  const [kind = '', name = ''] = called.split(' ')
  const made = { apiVersion: 'v1', kind, metadata: { name, uid: 'u1', labels: labelsOf('alpha') } }

  it('deletes just the object that was seen, and is done when it is gone', async () => {
    let there: object | undefined = made
    host.script = ({ method }) => {
      if (method === 'GET') return there
      there = undefined
      return {}
    }
    expect(await run(effect)).toBe('gone')
    expect(host.lines).toEqual([`GET ${path}`, `DELETE ${path}`, `GET ${path}`])
    expect(host.requests[1]?.body).toEqual({ preconditions: { uid: 'u1' } })
  })

  it('is done when there is nothing, or somebody else’s', async () => {
    expect(await run(effect)).toBe('gone')
    host.script = () => ({ ...made, metadata: { name } })
    expect(await run(effect)).toBe('gone')
    expect(host.lines).not.toContain(`DELETE ${path}`)
  })

  it('says who holds it, and does not ask again for what is under way', async () => {
    host.script = () => ({
      ...made,
      metadata: { ...made.metadata, deletionTimestamp: 'now', finalizers: ['others.io/a', 'others.io/b'] },
    })
    expect(await failing(run(effect))).toBe(
      `StillThere: ${called} is being deleted; finalizers: others.io/a, others.io/b`,
    )
    expect(host.lines).not.toContain(`DELETE ${path}`)
  })

  it('is done when a successor of the same name is there afterwards', async () => {
    let gets = 0
    host.script = ({ method }) =>
      method === 'GET' ? { ...made, metadata: { ...made.metadata, uid: `u${++gets}` } } : {}
    expect(await run(effect)).toBe('gone')
  })
})

describe('the installation', () => {
  const installed = instance({ spec: { install: {} } })

  it('makes a namespace where there is none, and uses the one that there is', async () => {
    host.script = request => (request.method === 'PATCH' ? stored(request) : undefined)
    await run(install, { of: installed })
    expect(host.lines).toEqual([
      'GET /api/v1/namespaces/karmada-alpha',
      'PATCH /api/v1/namespaces/karmada-alpha',
      `PATCH ${KARMADA}`,
    ])
    host.lines.length = 0
    host.script = request =>
      request.method === 'PATCH' ? stored(request) : { metadata: { name: 'karmada-alpha' } }
    await run(install, { of: installed })
    expect(host.lines).toEqual(['GET /api/v1/namespaces/karmada-alpha', `PATCH ${KARMADA}`])
  })

  it('leaves a Karmada alone that somebody else made', async () => {
    seen.karmadas.set('karmada-alpha/alpha', {
      metadata: { name: 'alpha' },
      outside: { revision: 'x', deleting: false },
    })
    expect(await failing(run(install, { of: installed }))).toBe(
      'Conflict: Karmada karmada-alpha/alpha exists and was not made by Kairship',
    )
  })

  it('is taken down with the namespace last, which stays if it is not ours', async () => {
    const ours = (name: string) => ({
      apiVersion: 'v1',
      kind: 'Karmada',
      metadata: { name, uid: 'u', labels: labelsOf('alpha') },
    })
    let there = true
    host.script = ({ method, path }) => {
      if (path.endsWith('/namespaces/karmada-alpha'))
        return { kind: 'Namespace', metadata: { name: 'karmada-alpha' } }
      if (method === 'DELETE') there = false
      return there ? ours('alpha') : undefined
    }
    expect(await run(uninstall, { of: installed })).toBe('gone')
    expect(host.lines.filter(line => line.startsWith('DELETE'))).toEqual([`DELETE ${KARMADA}`])
  })
})

describe('the status', () => {
  const wanted = (phase: string) => JSON.stringify({ phase, conditions: [] })
  const seenCr = instance({ resourceVersion: '9', status: { phase: 'Registering', conditions: [] } })

  it('is written as the difference, over the version that was seen', async () => {
    host.script = () => instance({ status: { phase: 'Ready', conditions: [] } })
    await run(writeStatus, { of: seenCr, wanted: wanted('Ready') })
    expect(host.requests[0]).toMatchObject({
      path: `${INSTANCES}/alpha/status`,
      body: { metadata: { resourceVersion: '9' }, status: { phase: 'Ready' } },
    })
  })

  it('that stands there already is not written', async () => {
    await run(writeStatus, { of: seenCr, wanted: wanted('Registering') })
    expect(host.requests).toEqual([])
  })

  it.each([
    [
      'another writer',
      refusal(409, 'Conflict', 'the object has been modified'),
      'Conflict: the object has been modified',
    ],
    ['a CR that went meanwhile', refusal(404, 'NotFound'), 'succeeded'],
    ['a server in trouble', refusal(503, 'ServiceUnavailable', 'later'), 'Unavailable: later'],
  ])('meets %s', async (_what, answer, outcome) => {
    host.script = () => answer
    expect(await failing(run(writeStatus, { of: seenCr, wanted: wanted('Ready') }))).toBe(outcome)
  })
})

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
    inside.script = ({ method, path, body }) => {
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
    host.script = () => ({})
    bindings = [binding()]
    await run(materializeRoleBindings)
    expect(objects.size).toBeGreaterThan(1)
    expect(host.lines).toEqual(['PATCH /apis/kairship.io/v1alpha1/instancerolebindings/team/status'])
    const [told] = host.requests
    const before = writes(inside).length
    bindings = [binding((told!.body as { status: NonNullable<InstanceRoleBinding['status']> }).status)]
    await run(materializeRoleBindings)
    expect(writes(inside)).toHaveLength(before)
    expect(host.requests).toHaveLength(1)
    bindings = []
    await run(materializeRoleBindings)
    expect(objects.size).toBe(0)
  })

  it('that were changed or deleted by hand are put right', async () => {
    const objects = storing()
    host.script = () => ({})
    bindings = [binding()]
    await run(materializeRoleBindings)
    const whole = JSON.stringify([...objects])
    const [first, second] = [...objects.keys()]
    objects.delete(first!)
    objects.set(second!, { ...(objects.get(second!) as object), subjects: [], rules: [] })
    await run(materializeRoleBindings)
    expect(JSON.stringify([...objects].sort())).toBe(JSON.stringify(JSON.parse(whole).sort()))
  })

  it('of another role are bound anew, because a roleRef cannot change', async () => {
    const objects = storing()
    host.script = () => ({})
    bindings = [binding()]
    await run(materializeRoleBindings)
    const [path, object] = [...objects].find(([at]) => at.includes('/clusterrolebindings/'))!
    objects.set(path, { ...(object as object), roleRef: { name: 'another' } })
    inside.lines.length = 0
    await run(materializeRoleBindings)
    expect(writes(inside)).toEqual([`DELETE ${path}`, `PATCH ${path}`])
  })

  it('are removed bindings first, and only ours are asked for', async () => {
    const objects = storing()
    host.script = () => ({})
    bindings = [binding()]
    await run(materializeRoleBindings)
    inside.lines.length = 0
    expect(await run(removeRoleBindings)).toBe('gone')
    expect(objects.size).toBe(0)
    const kinds = writes(inside).map(line => line.replace(`DELETE ${RBAC}/`, '').replace(/\/.*/, ''))
    expect(kinds).toEqual(
      [...kinds].sort((a, b) => Number(a === 'clusterroles') - Number(b === 'clusterroles')),
    )
    for (const { method, path, query } of inside.requests)
      if (method === 'GET' && path.startsWith(RBAC))
        expect(query?.labelSelector).toBe('kairship.io/instance=alpha,kairship.io/role-binding')
  })

  it('need no removal from a control plane that was never reached', async () => {
    connection.replace(undefined)
    expect(await run(removeRoleBindings)).toBe('gone')
    const known = instance({ status: { controlPlaneID: 'cp' } })
    expect(await failing(run(removeRoleBindings, { of: known }))).toMatch(
      /^Unreachable: there is no connection/,
    )
  })
})
