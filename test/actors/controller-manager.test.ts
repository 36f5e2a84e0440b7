import { expect, it } from 'vitest'
import { startControllerManager } from '../../actors/controller-manager.js'
import { bareStatus, StatusError } from '../../manifests/status-error.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { waitFor } from '../patience.js'
import { silent, unmetered } from '../silent.js'

/** An API on which nothing is found; remembers what it was asked. */
function empty(): KubeApi & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    server: 'https://host',
    asked,
    request: async ({ path }) => {
      asked.push(path)
      throw new StatusError(bareStatus(404, 'nothing here'))
    },
    watch: () => {
      throw new Error('nothing here')
    },
    close: async () => undefined,
  }
}

it('renews the lease over a connection of its own, which no other request takes up', async () => {
  const [host, leaseHost] = [empty(), empty()]
  const manager = startControllerManager({
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
  const isLease = (path: string) => path.includes('/leases')
  await waitFor(() => {
    expect(leaseHost.asked.some(isLease)).toBe(true)
    expect(host.asked.length).toBeGreaterThan(0)
  })
  await manager.stop()
  expect(host.asked.filter(isLease)).toEqual([])
  expect(leaseHost.asked.every(isLease)).toBe(true)
})
