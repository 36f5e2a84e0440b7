import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { ApiClient } from '../api-client.js'
import type { EngineProcess } from '../engine-process.js'
import { installKairship, kairshipNamespace, startKairship } from '../kairship.js'
import { eventually } from '../probe.js'

/** So long that no machine is slow enough to lose it, and that nobody here lives to see it run out. */
const endless = { duration: 3_600_000, flags: term(3_600_000, 3_000_000, 1_000) }
/** So short that it runs out while the suite waits. */
const short = { duration: 6_000, flags: term(6_000, 4_000, 1_000) }

function term(duration: number, renewDeadline: number, retryPeriod: number): string[] {
  return [
    `--lease-duration-ms=${duration}`,
    `--renew-deadline-ms=${renewDeadline}`,
    `--retry-period-ms=${retryPeriod}`,
  ]
}

interface Lease {
  readonly holderIdentity?: string
  readonly acquireTime?: string
  readonly renewTime?: string
}
/** The only Lease that Kairship's RBAC lets it write. */
const path = `/apis/coordination.k8s.io/v1/namespaces/${kairshipNamespace}/leases/kairship-controller-manager`

/** Two real processes and a real Lease. Who leads and why is claimed here; how soon, in virtual time (`test/machines`). */
describe('leadership', () => {
  const stack = inject('stack')
  const host = new ApiClient(stack.host)
  const replicas = new Map<string, EngineProcess>()

  const lease = async (): Promise<Lease> => {
    const { status, body } = await host.send('GET', path)
    return status === 200 ? (body as { spec: Lease }).spec : {}
  }
  /** Waits until another than `before` holds the lease, and returns its claim. */
  const successorOf = async (before: string): Promise<Lease> => {
    let seen: Lease = {}
    await eventually(async () => {
      seen = await lease()
      return !['', before].includes(seen.holderIdentity ?? '')
    }, `another leader than ${before}`)
    return seen
  }
  /** Starts two replicas and returns the one that leads. */
  const led = async (flags: readonly string[]): Promise<EngineProcess> => {
    for (const name of ['replica-a', 'replica-b'])
      replicas.set(name, await startKairship(host, `${stack.folder}/kairship`, name, flags))
    const { holderIdentity = '' } = await successorOf('')
    const leader = replicas.get(holderIdentity)
    if (leader === undefined) throw new Error(`no replica ${holderIdentity}`)
    return leader
  }
  /** The other took over because the lease had run out, by the clock of the machine they share. */
  const ranOut = (last: Lease, taken: Lease): void => {
    const waited = Date.parse(taken.acquireTime ?? '') - Date.parse(last.renewTime ?? '')
    expect(waited).toBeGreaterThanOrEqual(short.duration - 1_000)
  }

  beforeAll(() => installKairship(host))
  afterEach(async () => {
    for (const process of replicas.values()) {
      process.signal('SIGCONT')
      await process.stop()
    }
    replicas.clear()
  })
  afterAll(() => host.close())

  it('a leader that is asked to end gives the lease back, and the other leads though it had not run out', async () => {
    const before = await led(endless.flags)
    await before.stop()
    await successorOf(before.name)
  })

  it('a leader killed with SIGKILL is succeeded when its lease has run out', async () => {
    const before = await led(short.flags)
    await before.crash()
    const last = await lease()
    ranOut(last, await successorOf(before.name))
  })

  it('a leader frozen with SIGSTOP is succeeded, and its term is over when it wakes', async () => {
    const before = await led(short.flags)
    before.signal('SIGSTOP')
    const { acquireTime: term } = await lease()
    await successorOf(before.name)
    before.signal('SIGCONT')
    const renewals = new Set<string | undefined>()
    await eventually(async () => {
      const now = await lease()
      expect(now.acquireTime).not.toBe(term)
      return renewals.add(now.renewTime).size > 8
    }, 'eight renewals after that')
    expect(before.pid).toBeDefined()
  })
})
