import { describe, expect, it } from 'vitest'
import { HostPulse } from '../../../actors/host/host-pulse.js'
import { StatusError } from '../../../manifests/status-error.js'
import { UnreachableError } from '../../../ports/kube-api.js'

/** A pulse over a host that a test has answer, or not. */
function pulsing() {
  const clock = { now: 1_000 }
  let beat = (): void => undefined
  const asked: { resolve: () => void; reject: (error: unknown) => void }[] = []
  const pulse = new HostPulse(
    {
      request: <T>() =>
        new Promise<T>((resolve, reject) => asked.push({ resolve: () => resolve(undefined as T), reject })),
    },
    {
      now: () => clock.now,
      every: (_, work) => {
        beat = work
        return () => {
          beat = () => undefined
        }
      },
    },
  )
  pulse.start()
  return {
    ...{ pulse, clock, asked },
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
    clock.now = 6_000
    await hear(silence(), 4_000)
    expect(pulse.silentForMs).toBe(9_000)
    clock.now = 20_000
    expect(pulse.silentForMs).toBe(19_000)
    await hear(undefined)
    expect(pulse.silentForMs).toBe(0)
  })

  it.each([401, 403, 404, 429, 500, 503])('hears a host that answers with %d', async code => {
    const { pulse, hear } = pulsing()
    await hear(silence())
    await hear(refusal(code))
    expect(pulse.silentForMs).toBe(0)
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
