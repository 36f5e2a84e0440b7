import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ApiClient } from '../api-client.js'
import type { EngineProcess } from '../engine-process.js'
import { installKairship, kairshipNamespace, startKairship } from '../kairship.js'
import { eventually } from '../probe.js'

/** Shorter than by default, so that the suite need not wait; the arithmetic is the same. */
const durations = ['--lease-duration-ms=6000', '--renew-deadline-ms=4000', '--retry-period-ms=1000']
/** The only Lease that Kairship's RBAC lets it write. */
const leaseName = 'kairship-controller-manager'
/** Lease duration, a retry, and two seconds for a busy machine. */
const takeoverMs = 6_000 + 1_000 + 2_000

/** Two real processes and a real Lease. */
describe('leadership', () => {
  const stack = inject('stack')
  const host = new ApiClient(stack.host)
  const replicas = new Map<string, EngineProcess>()

  const holder = async (): Promise<string> => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${kairshipNamespace}/leases/${leaseName}`
    const { status, body } = await host.send('GET', path)
    if (status !== 200) return ''
    return (body as { spec: { holderIdentity?: string } }).spec.holderIdentity ?? ''
  }
  const replica = (name: string): EngineProcess => {
    const process = replicas.get(name)
    if (process === undefined) throw new Error(`no replica ${name}`)
    return process
  }
  const leader = async (): Promise<EngineProcess> => replica(await holder())
  /** Milliseconds until another than `before` holds the lease. */
  const takeover = async (before: string, since: number): Promise<number> => {
    await eventually(
      async () => !['', before].includes(await holder()),
      `another leader than ${before}`,
      60_000,
    )
    return Date.now() - since
  }

  beforeAll(async () => {
    await installKairship(host)
    for (const name of ['replica-a', 'replica-b'])
      replicas.set(name, await startKairship(host, `${stack.folder}/kairship`, name, durations))
    await eventually(async () => (await holder()) !== '', 'a first leader')
  })

  afterAll(async () => {
    for (const process of replicas.values()) {
      process.signal('SIGCONT')
      await process.stop()
    }
    await host.close()
  })

  it('a leader that is asked to end gives the lease back, and the other leads within a second or so', async () => {
    const before = await leader()
    const since = Date.now()
    const stopped = before.stop()
    expect(await takeover(before.name, since)).toBeLessThan(4_000)
    await stopped
    await before.start()
  })

  it('a leader killed with SIGKILL is succeeded when its lease has run out', async () => {
    const before = await leader()
    const since = Date.now()
    await before.crash()
    const took = await takeover(before.name, since)
    expect(took).toBeGreaterThan(2_000)
    expect(took).toBeLessThan(takeoverMs)
    await before.start()
  })

  it('a leader frozen with SIGSTOP is succeeded, and does not lead when it wakes', async () => {
    const before = await leader()
    const since = Date.now()
    before.signal('SIGSTOP')
    expect(await takeover(before.name, since)).toBeLessThan(takeoverMs)
    const successor = await holder()
    before.signal('SIGCONT')
    for (const until = Date.now() + 8_000; Date.now() < until; ) {
      expect(await holder()).toBe(successor)
      await new Promise(resolve => setTimeout(resolve, 200))
    }
    expect(before.pid).toBeDefined()
  })
})
