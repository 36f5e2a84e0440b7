import { afterEach, expect, it, vi } from 'vitest'
import { createActor } from 'xstate'
import { InstanceConnection } from '../../actors/connection.js'
import { probeControlPlane } from '../../actors/probe.js'
import type { Surroundings } from '../../actors/surroundings.js'
import { Turnstile } from '../../actors/turnstile.js'
import type { KubeApi } from '../../ports/kube-api.js'

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
