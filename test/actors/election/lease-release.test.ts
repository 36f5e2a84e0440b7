import { lastValueFrom, toArray } from 'rxjs'
import { describe, expect, it, vi } from 'vitest'
import type { KubeApi, KubeRequest } from '../../../ports/kube-api.js'
import { waitFor } from '../../patience.js'
import { replicaName } from '../../replica-name.js'
import { refusal } from '../scripted-api.js'
import { electionUnderTest, leads, path, sees, unavailable } from './lease-under-test.js'

const election = electionUnderTest()
const { connection, pass, read, replica } = election

describe('the release of a lease', () => {
  it('aborts the effects, awaits them, and then gives the lease up', async () => {
    const order: string[] = []
    let stopped: () => void = () => undefined
    const drain = () => {
      order.push('drain')
      return new Promise<void>(resolve => {
        stopped = resolve
      })
    }
    const { api } = connection(request => {
      if (request.method === 'PUT') order.push('write')
      return undefined
    })
    const a = replica('a', { api, drain })
    await leads(a)
    order.length = 0
    a.current().signal.addEventListener('abort', () => order.push('abort'))
    const released = a.release()
    await waitFor(() => expect(order).toEqual(['abort', 'drain']))
    stopped()
    await released
    expect(order).toEqual(['abort', 'drain', 'write'])
  })

  it('aborts a renewal in flight', async () => {
    const renewals: AbortSignal[] = []
    let hangs = false
    const { api } = connection(({ method, signal }) => {
      if (!hangs || method !== 'PUT' || !signal) return undefined
      hangs = false
      renewals.push(signal)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    const a = replica('a', { api })
    await leads(a)
    hangs = true
    await pass(3_000)
    expect(renewals.map(({ aborted }) => aborted)).toEqual([false])
    const released = a.release()
    expect(renewals[0]?.aborted).toBe(true)
    await released
  })

  it('lets the lease expire when effects do not stop in time', async () => {
    const drain = vi.fn(() => new Promise<void>(() => undefined))
    const a = replica('a', { drain })
    await leads(a)
    const released = a.release()
    await waitFor(() => expect(drain).toHaveBeenCalled())
    election.clock.advance(10_000)
    await released
    expect((await read()).spec?.holderIdentity).toBe(a.identity)
    expect(election.logged).toContain('warn effects did not stop in time; the lease is left to expire')
  })

  it('awaits effects at most until the term ends, counting a sleep of the machine', async () => {
    const drain = vi.fn(() => new Promise<void>(() => undefined))
    const a = replica('a', { drain })
    await leads(a)
    election.clock.sleep(8_000)
    expect(a.current().leading).toBe(true)
    void a.release()
    await waitFor(() => expect(drain).toHaveBeenCalled())
    election.clock.advance(2_000)
    await waitFor(() =>
      expect(election.logged).toContain('warn effects did not stop in time; the lease is left to expire'),
    )
  })

  it('resolves when the API server is unreachable, or effects fail to stop', async () => {
    let down = false
    const a = replica('a', { api: connection(() => (down ? unavailable() : undefined)).api })
    await leads(a)
    down = true
    await a.release()
    expect(election.logged).toContain('warn the lease could not be given back; it will expire')
    const b = replica('b', { drain: () => Promise.reject(new Error('effect')) })
    await b.release()
  })

  it('does not release a lease that another replica has taken', async () => {
    const a = replica('a')
    await leads(a)
    await election.server.local.request({
      method: 'PATCH',
      path,
      body: { spec: { holderIdentity: 'b' } },
      contentType: 'application/merge-patch+json',
    })
    await a.release()
    expect((await read()).spec?.holderIdentity).toBe('b')
  })

  it.each([
    ['succeeds at the second try after one conflict', 1, '', 2],
    ['gives up after three conflicts, and the lease expires', Number.POSITIVE_INFINITY, 'a', 3],
  ])('%s', async (_, conflicts, holder, tries) => {
    let writes = 0
    const { api } = connection(({ method }) => {
      if (method !== 'PUT' || !isLeaving) return undefined
      writes += 1
      return writes <= conflicts ? Promise.reject(refusal(409, 'Conflict')) : undefined
    })
    let isLeaving = false
    const a = replica('a', { api })
    await leads(a)
    isLeaving = true
    await a.release()
    expect(replicaName((await read()).spec?.holderIdentity)).toBe(holder)
    expect(writes).toBe(tries)
  })

  it('may be called twice, by a follower, and before the first answer', async () => {
    const a = replica('a')
    await Promise.all([a.release(), a.release()])
    const [b, c] = [replica('b'), replica('c')]
    await leads(b)
    await sees(c, 'b')
    await c.release()
    expect(c.current().leading).toBe(false)
    expect((await read()).spec?.holderIdentity).toBe(b.identity)
  })

  it('completes the stream of leadership changes, which replays the current one, and leaves no timer', async () => {
    const a = replica('a')
    await leads(a)
    const changes = lastValueFrom(a.leadership$.pipe(toArray()))
    await a.release()
    expect((await changes).map(({ leading }) => leading)).toEqual([true, false])
    expect(election.clock.pending).toBe(0)
    expect(election.counted.get('kairship_lease_leading a')).toBe(0)
  })
})

it('an error in the election stops acting and is reported, so that the process ends', async () => {
  let defect = false
  const { api } = connection()
  const broken: KubeApi = {
    ...api,
    async request<T>(request: KubeRequest) {
      const answer = await api.request<T>(request)
      if (!defect) return answer
      return {
        ...answer,
        get spec() {
          throw new Error('a defect')
        },
      }
    },
  }
  const reported = vi.fn()
  const a = replica('a', { api: broken, failed: reported })
  await leads(a)
  const { signal } = a.current()
  defect = true
  await pass(2_000)
  await waitFor(() => expect(reported).toHaveBeenCalledOnce())
  expect([a.current().leading, signal.aborted]).toEqual([false, true])
  expect(election.clock.pending).toBe(0)
})

it('refuses durations that break the lease arithmetic', () => {
  const durations = { leaseDurationMs: 10_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 }
  expect(() => replica('a', { durations })).toThrow(RangeError)
  // Up to 1.2 times the period may pass until the next try.
  expect(() => replica('a', { durations: { ...durations, renewDeadlineMs: 2_400 } })).toThrow(RangeError)
  replica('a', { durations: { ...durations, renewDeadlineMs: 2_401 } })
})
