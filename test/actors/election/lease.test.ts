import { describe, expect, it } from 'vitest'
import type { LeaseOptions } from '../../../actors/election/lease-options.js'
import { leaseHolder } from '../../../manifests/lease.js'
import { bareStatus, StatusError } from '../../../manifests/status-error.js'
import type { KubeApi, KubeRequest } from '../../../ports/kube-api.js'
import { waitFor } from '../../patience.js'
import { replicaName } from '../../replica-name.js'
import { ManualClock } from '../manual-clock.js'
import { electionUnderTest, leads, namespace, path, sees, unavailable } from './lease-under-test.js'

const election = electionUnderTest()
const { connection, pass, read, replica } = election

describe('the Lease object', () => {
  it('has its holder, whole seconds and microseconds, and keeps the acquire time of the holder', async () => {
    const a = replica('a')
    await leads(a)
    const first = await read()
    expect(first.spec).toEqual({
      holderIdentity: a.identity,
      leaseDurationSeconds: 15,
      acquireTime: '2023-11-14T22:13:20.000000Z',
      renewTime: '2023-11-14T22:13:20.000000Z',
      leaseTransitions: 0,
    })
    await pass(2000)
    await waitFor(async () => expect((await read()).spec?.renewTime).toBe('2023-11-14T22:13:22.000000Z'))
    expect((await read()).spec?.acquireTime).toBe('2023-11-14T22:13:20.000000Z')
  })

  it('counts its transitions, and keeps fields of others', async () => {
    const a = replica('a')
    await leads(a)
    const annotations = { note: 'keep me' }
    await election.server.local.request({
      method: 'PATCH',
      path,
      body: { metadata: { annotations } },
      contentType: 'application/merge-patch+json',
    })
    await a.release()
    const returned = await read()
    expect([leaseHolder(returned), returned.spec?.leaseDurationSeconds]).toEqual(['', 1])
    const b = replica('b')
    await leads(b)
    expect(await read()).toMatchObject({
      metadata: { annotations },
      spec: { holderIdentity: b.identity, leaseTransitions: 1 },
    })
  })
})

describe('a follower', () => {
  it('observes the leader, and takes over as soon as the lease is released', async () => {
    const [a, b] = [replica('a'), replica('b', { contend: false })]
    await leads(a)
    await sees(b, 'a')
    const c = replica('c')
    await sees(c, 'a')
    await a.release()
    await leads(c) // no time has passed
    await sees(b, 'c')
    expect(b.current().leading).toBe(false)
  })

  it('takes over after the lease duration when the leader stops renewing, and not before', async () => {
    const down = { a: false }
    const { api } = connection(() => (down.a ? unavailable() : undefined))
    const [a, b] = [replica('a', { api }), replica('b')]
    await leads(a)
    await sees(b, 'a')
    down.a = true
    await pass(10_000)
    expect([a.current().leading, b.current().leading]).toEqual([false, false])
    await pass(4_500)
    expect(b.current().leading).toBe(false)
    await pass(1_000)
    await leads(b)
  })

  it('competes with another follower so that one wins', async () => {
    const all = ['a', 'b', 'c', 'd'].map(identity => replica(identity))
    await waitFor(() => expect(all.filter(each => each.current().leading)).toHaveLength(1))
    await pass(20_000)
    expect(all.filter(each => each.current().leading)).toHaveLength(1)
    expect((await read()).spec?.leaseTransitions).toBe(0)
  })

  it.each([
    ['the namespace does not exist', 'nowhere', undefined],
    ['it is forbidden', namespace, () => Promise.reject(new StatusError(bareStatus(403, 'no')))],
  ])('does not lead, and backs off, when %s', async (_, where, fail) => {
    const { api, requests } = connection(fail)
    const lease = replica('a', { api, namespace: where })
    await pass(60_000)
    expect(lease.current().leading).toBe(false)
    expect(requests.length).toBeLessThan(70)
    expect(election.logged.filter(line => line === 'warn the lease cannot be reached')).toHaveLength(1)
  })

  it('recovers when the API server recovers', async () => {
    let down = true
    const lease = replica('a', { api: connection(() => (down ? unavailable() : undefined)).api })
    await pass(10_000)
    expect(lease.current().leading).toBe(false)
    down = false
    await pass(3_000)
    await leads(lease)
    expect(election.logged.at(-2)).toBe('info the lease can be reached again')
    expect(election.counted.get('kairship_lease_errors_total read')).toBeGreaterThan(3)
  })
})

describe('a leader', () => {
  it('hands out one signal per term, which aborts when the term ends', async () => {
    let down = false
    const a = replica('a', { api: connection(() => (down ? unavailable() : undefined)).api })
    await leads(a)
    const first = a.current().signal
    expect(first.aborted).toBe(false)
    down = true
    await pass(10_000)
    expect(first.aborted).toBe(true)
    expect(a.current().signal.aborted).toBe(true)
    down = false
    await pass(3_000)
    await leads(a)
    expect(a.current().signal).not.toBe(first)
    expect(a.current().signal.aborted).toBe(false)
  })

  it('survives an outage of the API server that is shorter than the deadline', async () => {
    let down = false
    const a = replica('a', { api: connection(() => (down ? unavailable() : undefined)).api })
    await leads(a)
    down = true
    await pass(7_000)
    down = false
    await pass(20_000)
    expect(a.current().leading).toBe(true)
    expect(election.counted.get('kairship_lease_transitions_total standby')).toBeUndefined()
  })

  it('survives a renewal whose answer was lost', async () => {
    let lose = 0
    const { api } = connection(async request => {
      if (request.method !== 'PUT' || lose-- <= 0) return undefined as never
      await election.server.local.request(request)
      throw new Error('socket hang up')
    })
    const a = replica('a', { api })
    await leads(a)
    for (let round = 0; round < 5; round++) {
      lose = 1
      await pass(4_000)
    }
    expect(a.current().leading).toBe(true)
    expect(election.counted.get('kairship_lease_transitions_total standby')).toBeUndefined()
  })

  it('stops when its renewals hang', async () => {
    let hang = false
    const { api } = connection(() => (hang ? new Promise<never>(() => undefined) : undefined))
    const a = replica('a', { api })
    await leads(a)
    hang = true
    await pass(10_000)
    expect(a.current().leading).toBe(false)
    hang = false // or giving it back would hang, too
  })

  it('stops when another took the lease', async () => {
    const a = replica('a')
    await leads(a)
    const stolen = { spec: { holderIdentity: 'thief' } }
    await election.server.local.request({
      method: 'PATCH',
      path,
      body: stolen,
      contentType: 'application/merge-patch+json',
    })
    await pass(2_500)
    await waitFor(() => expect(a.current()).toMatchObject({ leading: false, holder: 'thief' }))
  })

  it('follows the winner without a warning when another replica created the lease first', async () => {
    const { api } = connection()
    let answered = false
    const overtaken: KubeApi = {
      ...api,
      async request<T>(request: KubeRequest) {
        if (request.method !== 'POST') return api.request<T>(request)
        await leads(replica('winner'))
        try {
          return await api.request<T>(request)
        } finally {
          answered = true
        }
      },
    }
    const loser = replica('loser', { api: overtaken })
    await waitFor(() => expect(answered).toBe(true))
    await sees(loser, 'winner')
    await pass(1_000)
    expect(loser.current().leading).toBe(false)
    expect(election.logged.filter(line => line.startsWith('warn'))).toEqual([])
  })

  it('recreates a deleted lease', async () => {
    const a = replica('a')
    await leads(a)
    const { signal } = a.current()
    await election.server.local.request({ method: 'DELETE', path })
    await pass(5_000)
    await leads(a)
    expect((await read()).spec?.holderIdentity).toBe(a.identity)
    // It led all the time: what it does goes on.
    expect(signal.aborted).toBe(false)
    expect(a.current().signal).toBe(signal)
  })

  it('does not lead after the process was frozen past its deadline, even before a timer fires', async () => {
    const a = replica('a')
    await leads(a)
    const { signal } = a.current()
    election.clock.freeze(10_000)
    expect(a.current().leading).toBe(false)
    expect(signal.aborted).toBe(true)
  })

  it('does not lead after the machine slept past its deadline, even before a timer fires, and then acquires the lease again', async () => {
    const a = replica('a')
    await leads(a)
    const { signal } = a.current()
    election.clock.sleep(3_600_000)
    expect(a.current().leading).toBe(false)
    expect(signal.aborted).toBe(true)
    election.clock.advance(2_000)
    await leads(a)
  })

  it('does not lead after its wall clock was set back and the machine slept past its deadline', async () => {
    const a = replica('a')
    await leads(a)
    election.clock.sleep(-3_600_000)
    await pass(3_000)
    await leads(a)
    election.clock.sleep(60_000)
    expect(a.current().leading).toBe(false)
  })

  it('gives a renewal at most half of its remaining time', async () => {
    const limits: unknown[] = []
    const { api } = connection(request => {
      if (request.method !== 'GET' || request.path === path) limits.push(request.timeoutMs)
      return undefined
    })
    await leads(replica('a', { api }))
    await pass(4_000)
    expect(limits.length).toBeGreaterThan(2)
    expect(new Set(limits)).toEqual(new Set([5_000]))
  })

  it.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('leads again, alone, when its wall clock was set %s', async (_, ms) => {
    const a = replica('a')
    const b = replica('b', { contend: false })
    await leads(a)
    election.clock.sleep(ms)
    await pass(3_000)
    await leads(a)
    await sees(b, 'a')
  })

  /** Two replicas on machines of their own: the first leads or is about to, and the second waits. */
  async function onMachines(leader: Partial<LeaseOptions> = {}) {
    const a = replica('a', leader)
    await waitFor(async () => expect(replicaName(leaseHolder(await read()))).toBe('a'))
    const clockOfB = new ManualClock()
    const b = replica('b', { clock: clockOfB })
    await sees(b, 'a')
    const takesOver = async () => {
      for (let passed = 0; passed < 20_000; passed += 500) {
        clockOfB.advance(500)
        await new Promise(setImmediate)
        await new Promise(setImmediate)
      }
      await leads(b)
    }
    return { a, b, takesOver }
  }

  it('does not lead beside the replica that took over during a sleep of its machine', async () => {
    const { a, b, takesOver } = await onMachines()
    await leads(a)
    election.clock.sleep(60_000)
    await takesOver()
    expect([a.current().leading, b.current().leading]).toEqual([false, true])
    await pass(10_000)
    expect([a.current().leading, b.current().leading]).toEqual([false, true])
  })

  it('does not start to lead by an answer that arrives after a sleep of its machine', async () => {
    let arrive: () => void = () => undefined
    const arrival = new Promise<void>(resolve => (arrive = resolve))
    const { api } = connection()
    const late: KubeApi = {
      ...api,
      async request<T>(request: KubeRequest) {
        const answer = await api.request<T>(request)
        if (request.method === 'POST') await arrival
        return answer
      },
    }
    const { a, b, takesOver } = await onMachines({ api: late })
    election.clock.sleep(60_000)
    await takesOver()
    arrive()
    await pass(10_000)
    expect(election.counted.get('kairship_lease_leading a')).toBe(0)
    expect([a.current().leading, b.current().leading]).toEqual([false, true])
  })

  it('is unique among processes with the same name', async () => {
    const all = [replica('node-1_1'), replica('node-1_1')]
    await waitFor(() => expect(all.some(each => each.current().leading)).toBe(true))
    await pass(60_000)
    expect(all.filter(each => each.current().leading)).toHaveLength(1)
    expect(new Set(all.map(({ identity }) => identity)).size).toBe(2)
  })

  it('writes once per retry period and does not read', async () => {
    const { api, requests } = connection()
    await leads(replica('a', { api }))
    requests.length = 0
    await pass(60_000)
    expect(requests.length).toBeLessThanOrEqual(30)
    expect(new Set(requests)).toEqual(new Set(['PUT']))
  })
})
