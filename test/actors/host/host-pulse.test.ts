import { describe, expect, it } from 'vitest'
import { HostPulse } from '../../../actors/host/host-pulse.js'
import { StatusError } from '../../../manifests/status-error.js'
import { type KubeRequest, UnreachableError } from '../../../ports/kube-api.js'

/** A pulse over a host that a test has answer, or not. */
function pulsing() {
  const clock = { now: 1_000 }
  let beat = (): void => undefined
  const periods: number[] = []
  const asked: {
    readonly timeoutMs: number | undefined
    readonly resolve: () => void
    readonly reject: (error: unknown) => void
  }[] = []
  const pulse = new HostPulse(
    {
      request: <T>({ timeoutMs }: KubeRequest) =>
        new Promise<T>((resolve, reject) =>
          asked.push({ timeoutMs, resolve: () => resolve(undefined as T), reject }),
        ),
    },
    {
      now: () => clock.now,
      every: (ms, work) => {
        periods.push(ms)
        beat = work
        return () => {
          beat = () => undefined
        }
      },
    },
  )
  // It may be made long before it starts.
  clock.now += 60_000
  pulse.start()
  return {
    ...{ pulse, clock, asked, periods },
    /** Asks the host, which says so after a while, milliseconds. */
    async hear(said: unknown, afterMs = 0) {
      beat()
      clock.now += afterMs
      const request = asked.at(-1)
      if (said === undefined) request?.resolve()
      else request?.reject(said)
      await new Promise(setImmediate)
    },
    beat: () => beat(),
  }
}

const silence = () => new UnreachableError('no answer within 4000 ms', 'TIMEOUT')
const refusal = (code: number) =>
  new StatusError({ apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure', code, message: 'no' })

describe('the pulse of the host', () => {
  it('says for how long the host has been silent, from when it was last asked and answered', async () => {
    const { pulse, clock, hear } = pulsing()
    await hear(undefined, 100)
    expect(pulse.silentForMs).toBe(0)
    clock.now = 66_000
    await hear(silence(), 4_000)
    expect(pulse.silentForMs).toBe(9_000)
    clock.now = 80_000
    expect(pulse.silentForMs).toBe(19_000)
    await hear(undefined)
    expect(pulse.silentForMs).toBe(0)
  })

  it.each([401, 403, 404, 429, 500, 503])('hears a host that answers with %d', async code => {
    const { pulse, clock, hear } = pulsing()
    await hear(silence())
    clock.now += 5_000
    await hear(refusal(code), 100)
    expect(pulse.silentForMs).toBe(0)
  })

  it('knows of a host that never answered nothing from before it started', async () => {
    const { pulse, hear } = pulsing()
    await hear(silence(), 4_000)
    expect(pulse.silentForMs).toBe(4_000)
  })

  it('finds out within nine seconds that a host hangs, by one timer however often it is started', () => {
    const { pulse, asked, periods, beat } = pulsing()
    pulse.start()
    beat()
    expect(periods).toHaveLength(1)
    expect(periods[0]! + (asked[0]?.timeoutMs ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(9_000)
  })

  it('asks once at a time, and not after it was stopped', async () => {
    const { pulse, asked, beat } = pulsing()
    beat()
    beat()
    expect(asked).toHaveLength(1)
    asked[0]?.resolve()
    await new Promise(setImmediate)
    pulse.stop()
    beat()
    expect(asked).toHaveLength(1)
  })
})
