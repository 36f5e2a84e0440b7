import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { type OpenWatch, Wire } from '../../conformance/apiserver/wire.js'
import { replicaName } from '../../replica-name.js'
import { ApiClient } from '../api-client.js'
import type { EngineProcess } from '../engine-process.js'
import { installKairship, kairshipNamespace, startKairship } from '../kairship.js'
import { eventually } from '../probe.js'

/** So long that no machine is slow enough to lose it, and that nobody here lives to see it run out. */
const endless = { duration: 3_600_000, flags: term(3_600_000, 3_000_000, 1_000) }
/** So short that it runs out while the suite waits, and so long that a busy machine does not lose it before. */
const short = { duration: 15_000, flags: term(15_000, 12_000, 1_000) }

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
const leases = `/apis/coordination.k8s.io/v1/namespaces/${kairshipNamespace}/leases`
const name = 'kairship-controller-manager'

/** Two real processes and a real Lease. Who leads and why is claimed here; how soon, in virtual time (`test/machines`). */
describe('leadership', () => {
  const stack = inject('stack')
  const host = new ApiClient(stack.host)
  const replicas = new Map<string, EngineProcess>()

  const wire = new Wire(stack.host.url, stack.host.ca, stack.host)
  let claims: OpenWatch | undefined

  const lease = async (): Promise<Lease> => {
    const { status, body } = await host.send('GET', `${leases}/${name}`)
    return status === 200 ? (body as { spec: Lease }).spec : {}
  }
  /** Every claim from now on, so that none is missed however late one looks. */
  const follow = async (): Promise<void> => {
    claims = await wire.watch(leases, { fieldSelector: `metadata.name=${name}` })
  }
  /** Waits until another than `before` holds the lease, and returns the last claim of the one and the first of the other. */
  const succession = async (before: string): Promise<{ last: Lease; first: Lease }> => {
    for (let last: Lease = {}; ; ) {
      const [event] = await claims!.take(1)
      const claim = event?.object.spec as Lease
      if (replicaName(claim.holderIdentity) === before) last = claim
      else if (claim.holderIdentity) return { last, first: claim }
    }
  }
  /** Starts two replicas, returns the one that leads, and follows the lease from there. */
  const led = async (flags: readonly string[]): Promise<EngineProcess> => {
    const { acquireTime } = await lease()
    for (const name of ['replica-a', 'replica-b'])
      replicas.set(name, await startKairship(host, `${stack.folder}/kairship`, name, flags))
    let leader: EngineProcess | undefined
    await eventually(async () => {
      const now = await lease()
      // The leader before may not have given it back, and may have had the name of a replica.
      if (now.acquireTime !== acquireTime) leader = replicas.get(replicaName(now.holderIdentity))
      return leader !== undefined
    }, 'a replica leads')
    await follow()
    return leader!
  }

  beforeAll(() => installKairship(host))
  afterEach(async () => {
    claims?.close()
    for (const process of replicas.values()) {
      process.signal('SIGCONT')
      await process.stop()
    }
    replicas.clear()
  })
  afterAll(() => Promise.all([host.close(), wire.close()]))

  it('a leader that gets SIGTERM releases the lease, and the other replica leads before it expires', async () => {
    const before = await led(endless.flags)
    await before.stop()
    await succession(before.name)
  })

  it('after SIGKILL of the leader the other replica leads when the lease has expired', async () => {
    const before = await led(short.flags)
    await before.crash()
    const { last, first } = await succession(before.name)
    // By the clock of the machine they share.
    const waited = Date.parse(first.acquireTime ?? '') - Date.parse(last.renewTime ?? '')
    expect(waited).toBeGreaterThanOrEqual(short.duration - 1_000)
  })

  it('after SIGSTOP of the leader the other replica leads, and the first does not lead when it continues', async () => {
    const before = await led(short.flags)
    before.signal('SIGSTOP')
    const { last, first } = await succession(before.name)
    before.signal('SIGCONT')
    const later = [first, ...(await claims!.take(8)).map(({ object }) => object.spec as Lease)]
    expect(later.map(({ acquireTime }) => acquireTime)).not.toContain(last.acquireTime)
    expect(before.pid).toBeDefined()
  })
})
