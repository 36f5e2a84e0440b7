import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createActor } from 'xstate'
import { AskingBudget } from '../../../../actors/instance/asking-budget.js'
import { instanceLimiters } from '../../../../actors/instance/concurrency-limits.js'
import type { InstanceDependencies } from '../../../../actors/instance/dependencies.js'
import { InstanceConnection } from '../../../../actors/instance/instance-connection.js'
import { gatherStatistics } from '../../../../actors/instance/observers/resource-statistics.js'
import { QUIET_MS, StartupBurst } from '../../../../actors/instance/startup-burst.js'
import type { KubeApi } from '../../../../ports/kube-api.js'
import { unmetered } from '../../../silent.js'

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  })
})
afterEach(() => {
  vi.useRealTimers()
})

const untilAborted = (signal: AbortSignal | undefined) =>
  new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

/** Control planes that list nothing or, when they hang, answer no list; and which of them were asked. */
class ControlPlanes {
  readonly asked = new Set<string>()
  readonly hanging = new Set<string>()
  readonly #connections = new Map<string, InstanceConnection>()

  connectionOf(name: string): InstanceConnection {
    const known = this.#connections.get(name)
    if (known) return known
    const connection = new InstanceConnection()
    connection.replace({ api: this.#api(name), kubeconfig: '', fingerprint: name })
    this.#connections.set(name, connection)
    return connection
  }

  #api(name: string): KubeApi {
    return {
      server: `https://${name}`,
      request: async <T>({ signal }: { signal?: AbortSignal }) => {
        this.asked.add(name)
        if (this.hanging.has(name)) await untilAborted(signal)
        return { kind: 'ThingList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] } as T
      },
      async *watch({ signal }) {
        await untilAborted(signal).catch(() => undefined)
      },
      close: async () => undefined,
    }
  }
}

/** A fleet whose statistics can be gathered and abandoned, all in one turn of the event loop as the supervisor does it. */
function fleetOf(size: number) {
  const controlPlanes = new ControlPlanes()
  const names = Array.from({ length: size }, (_, index) => `instance-${index}`)
  const logic = gatherStatistics({
    ...instanceLimiters(),
    paces: { statusIntervalMs: 1_000 },
    asking: new AskingBudget(() => 1_000),
    startupBurst: new StartupBurst(() => size),
    meter: unmetered,
    connectionOf: (name: string) => controlPlanes.connectionOf(name),
  } as unknown as InstanceDependencies)
  const gather = () => names.map(name => createActor(logic, { input: { name } }).start())
  return { controlPlanes, names, gather }
}
/** Lets everything happen that waits for nothing but answers that are there. */
const settled = () => vi.advanceTimersByTimeAsync(0)

describe('the first statistics', () => {
  it('are gathered from at most eight instances at a time', async () => {
    const { controlPlanes, names, gather } = fleetOf(20)
    for (const name of names) controlPlanes.hanging.add(name)
    const actors = gather()
    await settled()
    expect([...controlPlanes.asked]).toEqual(names.slice(0, 8))
    for (const actor of actors) actor.stop()
  })

  it('of a large fleet are gathered after its start-up burst', async () => {
    const { controlPlanes, names, gather } = fleetOf(51)
    for (const name of names) controlPlanes.hanging.add(name)
    const actors = gather()
    await vi.advanceTimersByTimeAsync(QUIET_MS - 1)
    expect([...controlPlanes.asked]).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect([...controlPlanes.asked]).toEqual(names.slice(0, 8))
    for (const actor of actors) actor.stop()
  })

  it('are gathered from every instance when leadership is lost and regained while most wait', async () => {
    const { controlPlanes, names, gather } = fleetOf(20)
    for (const name of names) controlPlanes.hanging.add(name)
    const before = gather()
    await settled()
    for (const actor of before) actor.stop()
    await settled()
    controlPlanes.asked.clear()
    controlPlanes.hanging.clear()
    const after = gather()
    await settled()
    expect([...controlPlanes.asked].sort()).toEqual([...names].sort())
    for (const actor of after) actor.stop()
  })

  it('are gathered from the other instances after ten seconds while eight hang', async () => {
    const { controlPlanes, names, gather } = fleetOf(20)
    for (const name of names.slice(0, 8)) controlPlanes.hanging.add(name)
    const actors = gather()
    await vi.advanceTimersByTimeAsync(9_999)
    expect([...controlPlanes.asked]).toEqual(names.slice(0, 8))
    await vi.advanceTimersByTimeAsync(1)
    expect([...controlPlanes.asked]).toEqual(names)
    for (const actor of actors) actor.stop()
  })
})
