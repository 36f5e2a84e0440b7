import { afterEach, expect, it, vi } from 'vitest'
import { createActor, createMachine } from 'xstate'
import { InstanceConnection } from '../../actors/connection.js'
import { KARMADA_VERSION_NOTE } from '../../actors/karmada-version.js'
import { probeControlPlane } from '../../actors/probe.js'
import type { Surroundings } from '../../actors/surroundings.js'
import { Turnstile } from '../../actors/turnstile.js'
import type { OwnObserverEvent } from '../../machines/events.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { type ScriptedApi, scriptedApi } from './scripted-api.js'

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

it('control planes are probed some at a time, and one that does not answer keeps nobody waiting for long', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const asked: string[] = []
  const connections = new Map(
    ['one', 'two', 'three'].map(name => {
      const connection = new InstanceConnection()
      const api = mute(() => asked.includes(name) || asked.push(name))
      connection.replace({ api, kubeconfig: '', fingerprint: name })
      return [name, connection] as const
    }),
  )
  const surroundings = {
    connectionOf: (name: string) => connections.get(name),
    probing: new Turnstile(1, 1_000),
    paces: { probeIntervalMs: 10_000 },
    random: () => 0,
  } as unknown as Surroundings
  const probes = [...connections.keys()].map(name =>
    createActor(probeControlPlane(surroundings), { input: { name } }).start(),
  )
  await vi.advanceTimersByTimeAsync(0)
  expect(asked).toEqual(['one'])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(asked).toEqual(['one', 'two'])
  probes[1]?.stop()
  await vi.advanceTimersByTimeAsync(0)
  expect(asked).toEqual(['one', 'two', 'three'])
  for (const probe of probes) probe.stop()
})

const HEALTH = 'GET /readyz'
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
  'a connection that was replaced while it was asked %s does not answer for the one in its place, which is asked who it is at once',
  async held => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const replaced = controlPlane('the old one', held)
    const present = controlPlane('the new one', HEALTH)
    const connection = new InstanceConnection()
    const connect = (api: KubeApi) => connection.replace({ api, kubeconfig: '', fingerprint: '' })
    connect(replaced.api)
    const told: OwnObserverEvent[] = []
    const logic = probeControlPlane({
      connectionOf: () => connection,
      probing: new Turnstile(2),
      paces: { probeIntervalMs: 10_000 },
      random: () => 0,
    } as unknown as Surroundings)
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
