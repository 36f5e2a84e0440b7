import { expect, it } from 'vitest'
import { startControllerManager } from '../../actors/controller-manager.js'
import { waitFor } from '../patience.js'
import { failed, silent, unmetered } from '../silent.js'
import { scriptedApi } from './scripted-api.js'

it('renews the lease over its own connection, which carries no other requests', async () => {
  const [host, leaseHost] = [scriptedApi(), scriptedApi()]
  const manager = startControllerManager({
    failed,
    host,
    leaseHost,
    connector: { connect: () => Promise.reject(new Error('nothing here')) },
    identity: 'a',
    contend: true,
    config: {
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2_000,
      probeIntervalMs: 10_000,
      statusIntervalMs: 10_000,
      indexCanaryIntervalMs: 0,
      indexCanaryPatienceMs: 10_000,
      namespace: 'kairship-system',
      leaseName: 'lease',
    },
    log: silent,
    meter: unmetered,
  })
  const isLease = (line: string) => line.includes('/leases')
  await waitFor(() => {
    expect(leaseHost.lines.some(isLease)).toBe(true)
    expect(host.lines.length).toBeGreaterThan(0)
  })
  await manager.stop()
  expect(host.lines.filter(isLease)).toEqual([])
  expect(leaseHost.lines.every(isLease)).toBe(true)
})
