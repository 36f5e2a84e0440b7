import { expect, it, onTestFinished, vi } from 'vitest'
import type { ControllerManagerOptions } from '../actors/controller-manager.js'
import type { ConnectionOptions } from '../actors/kube/connection.js'
import type { Kubeconfig } from '../actors/kube/kubeconfig.js'
import { defaults } from '../config.js'
import type { ApiOptions } from '../http/api-options.js'
import { Lifecycle } from '../lifecycle.js'
import { startKairship } from '../main.js'
import { silent } from './silent.js'

const seen = vi.hoisted(() => ({ controllers: {} as unknown, api: {} as unknown }))
vi.mock('../actors/fleet/young-objects.js', () => ({ allocateYoung: vi.fn(), bindYoung: vi.fn() }))
vi.mock('../actors/kube/connection.js', () => ({
  connectKube: async (kubeconfig: unknown, options: unknown) => ({ kubeconfig, options, close: vi.fn() }),
}))
vi.mock('../actors/controller-manager.js', () => ({
  startControllerManager: (options: unknown) => {
    seen.controllers = options
    return { fleet: {}, stop: vi.fn() }
  },
}))
vi.mock('../actors/host/watched-accounts.js', () => ({
  WatchedAccounts: class {
    start = () => this
    stop = vi.fn()
  },
}))
vi.mock('../http/health/health-listener.js', () => ({ startHealth: () => ({ close: vi.fn() }) }))
vi.mock('../cli/log/audit-log.js', () => ({ openAuditLog: () => ({ close: vi.fn() }) }))
vi.mock('../http/server.js', () => ({
  startApi: (options: unknown) => {
    seen.api = options
    return { close: vi.fn() }
  },
}))

it('the lease is renewed, and callers are asked about, on connections whose answers wait for no turn of the event loop', async () => {
  const lifecycle = new Lifecycle(silent, new AbortController().signal, {
    ...{ on: vi.fn(), off: vi.fn(), exit: vi.fn() },
  })
  onTestFinished(() => lifecycle.stop())
  const [controllers, credential] = [{ of: 'controllers' }, { of: 'API' }] as unknown as Kubeconfig[]
  await startKairship(defaults('serve'), silent, lifecycle, {
    ...{ contend: true, controllers: controllers as Kubeconfig },
    api: { credential: credential as Kubeconfig, serving: {} as never },
  })
  const { host, leaseHost } = seen.controllers as ControllerManagerOptions
  const { host: answering } = seen.api as ApiOptions
  const connections = [host, leaseHost, answering] as unknown as {
    readonly kubeconfig: Kubeconfig
    readonly options: ConnectionOptions
  }[]
  expect(connections.map(({ kubeconfig }) => kubeconfig)).toEqual([controllers, controllers, credential])
  // Absent: divided. A connection of its own, on which nothing else waits either.
  expect(connections.map(({ options }) => 'turns' in options && options.turns === undefined)).toEqual([
    ...[false, true, true],
  ])
  expect(new Set(connections).size).toBe(3)
})
