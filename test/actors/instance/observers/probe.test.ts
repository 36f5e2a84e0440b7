import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { createActor, createMachine } from 'xstate'
import { AskingBudget } from '../../../../actors/instance/asking-budget.js'
import type { InstanceDependencies } from '../../../../actors/instance/dependencies.js'
import { InstanceConnection } from '../../../../actors/instance/instance-connection.js'
import { KARMADA_VERSION_NOTE } from '../../../../actors/instance/observers/karmada-version.js'
import { probeControlPlane } from '../../../../actors/instance/observers/probe.js'
import { RecentUse } from '../../../../actors/instance/recent-use.js'
import type { OwnObserverEvent } from '../../../../machines/instance/events.js'
import { StatusError } from '../../../../manifests/status-error.js'
import type { KubeApi } from '../../../../ports/kube-api.js'
import { refusal, type ScriptedApi, scriptedApi } from '../../scripted-api.js'

afterEach(() => {
  vi.useRealTimers()
})

const nothing = () => undefined

/** An API that takes requests and answers none of them before they are aborted. */
const mute = (asked: () => void): KubeApi => ({
  server: 'https://mute',
  request: ({ signal }) => {
    asked()
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  },
  watch: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(nothing) }) }) as never,
  close: async () => undefined,
})

/** The clock of the budget is `performance`: beside real time, simulated seconds would pass while it waits for its milliseconds. */
const useSimulatedTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })

/** What all instances of a fleet of a thousand may be asked, in a process that is idle, whatever else the machine does. */
const budget = () =>
  new AskingBudget(
    () => 1_000,
    () => () => 0,
  )

/** Probes of a fleet of a thousand, of which these are here. */
function fleet(names: readonly string[], apiOf: (name: string) => KubeApi) {
  useSimulatedTime()
  const connections = new Map(
    names.map(name => {
      const connection = new InstanceConnection()
      connection.replace({ api: apiOf(name), kubeconfig: '', fingerprint: name })
      return [name, connection] as const
    }),
  )
  const asking = budget()
  const callers = new RecentUse(() => true)
  const dependencies = {
    connectionOf: (name: string) => connections.get(name),
    asking,
    callers,
    paces: { probeIntervalMs: 10_000 },
    random: () => 0,
  } as unknown as InstanceDependencies
  const probes = names.map(name => createActor(probeControlPlane(dependencies), { input: { name } }).start())
  onTestFinished(() => {
    for (const probe of probes) probe.stop()
  })
  return { probes, connections, callers }
}

it('control planes that do not answer delay the first probe of no other', async () => {
  const asked = new Set<string>()
  const names = Array.from({ length: 100 }, (_, index) => `${index}`)
  fleet(names, name => mute(() => asked.add(name)))
  await vi.advanceTimersByTimeAsync(0)
  expect(asked.size).toBe(100)
})

it('a probe that was stopped, or lost its connection, while it waited for its turn asks nothing', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `${index}`)
  const apis = new Map(names.map(name => [name, controlPlane(name, 'nothing').api]))
  const { probes, connections } = fleet(names, name => apis.get(name)!)
  const asked = () => names.filter(name => apis.get(name)!.lines.length > 0)
  await vi.advanceTimersByTimeAsync(4_900)
  expect(asked()).toHaveLength(40)
  for (const api of apis.values()) api.lines.length = 0
  // The next probe of each is due; the budget begins a few at once, and the others wait.
  await vi.advanceTimersByTimeAsync(200)
  const begun = asked()
  expect(begun.length).toBeGreaterThan(0)
  expect(begun.length).toBeLessThan(20)
  for (const probe of probes.slice(20)) probe.stop()
  for (const connection of connections.values()) connection.replace(undefined)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(asked()).toEqual(begun)
})

it('of a large fleet, control planes that callers use are probed before the others, and suspect ones too', async () => {
  const names = Array.from({ length: 300 }, (_, index) => `${index}`)
  const apis = new Map(names.map(name => [name, controlPlane(name, 'nothing').api]))
  const broken = apis.get('299')!
  broken.script = () => refusal(503, 'ServiceUnavailable')
  const { callers } = fleet(names, name => apis.get(name)!)
  await vi.advanceTimersByTimeAsync(900)
  for (const api of apis.values()) api.lines.length = 0
  const asked = () => names.filter(name => apis.get(name)!.lines.length > 0)
  await vi.advanceTimersByTimeAsync(4_000)
  expect(asked()).toEqual(['299'])
  // All are due now. A round of the three hundred takes twelve seconds.
  await vi.advanceTimersByTimeAsync(200)
  expect(asked().length).toBeLessThan(30)
  callers.note('298')
  broken.lines.length = 0
  await vi.advanceTimersByTimeAsync(2_000)
  expect(asked()).toEqual(expect.arrayContaining(['298', '299']))
  expect(asked().length).toBeLessThan(100)
})

it('of a large fleet, a calm control plane is asked one thing at a time, and both where a caller uses it or an answer was bad', async () => {
  const { api } = controlPlane('0', 'nothing')
  const { callers } = fleet(['0'], () => api)
  const answers = api.script
  const asked = async (ms: number) => {
    api.lines.length = 0
    await vi.advanceTimersByTimeAsync(ms)
    return [...api.lines]
  }
  expect(api.lines).toEqual([HEALTH, AGGREGATED_API])
  await asked(0) // reads whose control plane it is
  expect(await asked(5_000)).toEqual([HEALTH])
  expect(await asked(5_000)).toEqual([AGGREGATED_API])
  expect(await asked(5_000)).toEqual([HEALTH])
  api.script = () => refusal(503, 'ServiceUnavailable')
  expect(await asked(5_000)).toEqual([AGGREGATED_API])
  expect(await asked(1_000)).toEqual([HEALTH, AGGREGATED_API])
  api.script = answers
  await asked(5_000)
  callers.note('0')
  await asked(5_000)
  expect(await asked(5_000)).toEqual([HEALTH, AGGREGATED_API])
})

const HEALTH = 'GET /readyz'
const AGGREGATED_API = 'GET /apis/cluster.karmada.io/v1alpha1'
const IDENTITY = 'GET /api/v1/namespaces/kube-system'

/** A healthy control plane with this identity, that answers `held` only when told to. */
function controlPlane(
  uid: string,
  held: string,
): { readonly api: ScriptedApi; readonly release: () => void } {
  let release: () => void = nothing
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  const api = scriptedApi({
    [HEALTH]: 'ok',
    [IDENTITY]: { metadata: { name: 'kube-system', uid } },
    'GET /version': { gitVersion: 'v1.34.2' },
    [`GET ${KARMADA_VERSION_NOTE}`]: undefined,
    'GET /apis/cluster.karmada.io/v1alpha1': { resources: [{ name: 'clusters' }] },
  })
  const { script } = api
  api.script = request =>
    `${request.method} ${request.path}` === held ? released.then(() => script(request)) : script(request)
  return { api, release: () => release() }
}

/** Lets everything happen that waits for nothing but answers that are there. */
const settled = () => vi.advanceTimersByTimeAsync(0)

it.each([HEALTH, IDENTITY])(
  'a probe over a connection that was replaced during %s is discarded, and the new connection is probed at once',
  async held => {
    useSimulatedTime()
    const replaced = controlPlane('the old one', held)
    const present = controlPlane('the new one', HEALTH)
    const connection = new InstanceConnection()
    const connect = (api: KubeApi) => connection.replace({ api, kubeconfig: '', fingerprint: '' })
    connect(replaced.api)
    const told: OwnObserverEvent[] = []
    const logic = probeControlPlane({
      connectionOf: () => connection,
      asking: budget(),
      callers: new RecentUse(() => true),
      paces: { probeIntervalMs: 10_000 },
      random: () => 0,
    } as unknown as InstanceDependencies)
    const parent = createMachine({
      invoke: { src: logic, input: { name: 'alpha' } },
      on: { '*': { actions: ({ event }) => told.push(event as OwnObserverEvent) } },
    })
    const actor = createActor(parent).start()
    await settled()
    expect(replaced.api.lines).toContain(held)
    connect(present.api)
    replaced.release()
    await settled()
    expect(told).toEqual([])
    present.release()
    await settled()
    expect(present.api.lines).toContain(IDENTITY)
    expect(told).toMatchObject([
      { type: 'controlPlane.probed', controlPlane: { ok: true, id: 'the new one' } },
    ])
    actor.stop()
    await connection.close()
  },
)

/** Probes the control plane behind a connection, and collects what is reported. */
function probing() {
  useSimulatedTime()
  const connection = new InstanceConnection()
  const reports: Extract<OwnObserverEvent, { type: 'controlPlane.probed' }>[] = []
  const logic = probeControlPlane({
    connectionOf: () => connection,
    asking: budget(),
    callers: new RecentUse(() => true),
    paces: { probeIntervalMs: 10_000 },
    random: () => 0,
  } as unknown as InstanceDependencies)
  const parent = createMachine({
    invoke: { src: logic, input: { name: 'alpha' } },
    on: { '*': { actions: ({ event }) => reports.push(event as (typeof reports)[number]) } },
  })
  const actor = createActor(parent).start()
  onTestFinished(async () => {
    actor.stop()
    await connection.close()
  })
  return {
    reports,
    stop: () => actor.stop(),
    disconnect: () => connection.replace(undefined),
    connect: (api: KubeApi, fingerprint: string) => connection.replace({ api, kubeconfig: '', fingerprint }),
  }
}

it.each([
  ['with the text of an unknown path', refusal(404, '', '404 page not found')],
  ['with a Status', refusal(404, 'NotFound', 'the server could not find the requested resource')],
  ['with a group that has no clusters', { resources: [{ name: 'others' }] }],
])('a plain cluster that answers %s is reported as no Karmada', async (_how, answer) => {
  const { reports, connect } = probing()
  const { api } = controlPlane('plain', 'nothing')
  const { script } = api
  api.script = request => (request.path === '/apis/cluster.karmada.io/v1alpha1' ? answer : script(request))
  connect(api, 'one')
  await settled()
  expect(reports.at(-1)).toMatchObject({
    controlPlane: { ok: true, id: 'plain' },
    aggregatedApi: {
      ok: false,
      failure: {
        reason: 'NotServed',
        message: expect.stringMatching(/^cluster.karmada.io is not served here/),
      },
    },
  })
})

it('a report names the kubeconfig of the last successful probe, and no later one', async () => {
  const { reports, connect } = probing()
  connect(controlPlane('cp', 'nothing').api, 'one')
  await settled()
  expect(reports.at(-1)).toMatchObject({ controlPlane: { id: 'cp' }, fingerprint: 'one' })
  const away = scriptedApi()
  away.script = () => refusal(503, 'ServiceUnavailable')
  connect(away, 'two')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(reports.at(-1)).toMatchObject({ controlPlane: { ok: false }, fingerprint: 'one' })
  connect(controlPlane('cp', 'nothing').api, 'three')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(reports.at(-1)).toMatchObject({ controlPlane: { id: 'cp' }, fingerprint: 'three' })
})

it('what was broken for long and answers again is asked again within two seconds, and not in its turn among the calm ones', async () => {
  const { reports, connect } = probing()
  const { api } = controlPlane('cp', 'nothing')
  const answers = api.script
  connect(api, 'one')
  await settled()
  api.script = () => refusal(503, 'ServiceUnavailable')
  await vi.advanceTimersByTimeAsync(120_000)
  api.lines.length = 0
  await vi.advanceTimersByTimeAsync(4_000)
  // It is asked every five seconds at most by now.
  expect(api.lines.length).toBeLessThan(3)
  api.script = answers
  api.lines.length = 0
  while (api.lines.length === 0) await vi.advanceTimersByTimeAsync(100)
  expect(reports.at(-1)).toMatchObject({ controlPlane: { ok: false }, aggregatedApi: { ok: false } })
  await vi.advanceTimersByTimeAsync(2_000)
  expect(reports.at(-1)).toMatchObject({ controlPlane: { ok: true }, aggregatedApi: { ok: true } })
})

it.each([
  [429, 45, 45],
  [503, 45, 45],
  [503, 3_600, 60],
])(
  'a control plane that refuses (%i) and asks for %i s is left alone for %i s',
  async (code, asked, left) => {
    const { connect } = probing()
    const { api } = controlPlane('cp', 'nothing')
    const answers = api.script
    connect(api, 'one')
    await settled()
    const { status } = refusal(code, 'TooManyRequests')
    const refused = new StatusError({ ...status, details: { retryAfterSeconds: asked } })
    api.script = request => (request.path === '/readyz' ? refused : answers(request))
    api.lines.length = 0
    while (api.lines.length === 0) await vi.advanceTimersByTimeAsync(100)
    await settled()
    api.lines.length = 0
    await vi.advanceTimersByTimeAsync((left - 1) * 1_000)
    expect(api.lines).toEqual([])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(api.lines).not.toEqual([])
  },
)

it('a report names no kubeconfig of a connection that was removed', async () => {
  const { reports, connect, disconnect } = probing()
  connect(controlPlane('cp', 'nothing').api, 'one')
  await settled()
  disconnect()
  const away = scriptedApi()
  away.script = () => refusal(503, 'ServiceUnavailable')
  connect(away, 'two')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(reports.at(-1)).toMatchObject({ controlPlane: { ok: false } })
  expect(reports.at(-1)).not.toHaveProperty('fingerprint')
})

it('a new connection to another control plane is identified at once, and none is after the end', async () => {
  const { reports, connect, stop } = probing()
  const [first, second] = [controlPlane('first', 'nothing'), controlPlane('second', 'nothing')]
  connect(first.api, 'one')
  await settled()
  expect(first.api.requests.map(({ timeoutMs }) => timeoutMs)).toEqual(first.api.lines.map(() => 5_000))
  connect(second.api, 'two')
  await settled()
  expect(reports.at(-1)).toMatchObject({ controlPlane: { ok: true, id: 'second' } })
  stop()
  second.api.lines.length = 0
  await vi.advanceTimersByTimeAsync(60_000)
  expect(second.api.lines).toEqual([])
})

it('an aggregated API that answers with a failure is not reported as missing', async () => {
  const { reports, connect } = probing()
  const { api } = controlPlane('cp', 'nothing')
  const { script } = api
  api.script = request =>
    request.path === '/apis/cluster.karmada.io/v1alpha1'
      ? refusal(503, 'ServiceUnavailable')
      : script(request)
  connect(api, 'one')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(reports.at(-1)).toMatchObject({ aggregatedApi: { ok: false, failure: { reason: 'Unavailable' } } })
})
