import { afterEach, beforeEach, expect } from 'vitest'
import { type LeaseHandle, startLease } from '../../../actors/election/lease.js'
import type { LeaseOptions } from '../../../actors/election/lease-options.js'
import { resourcePath } from '../../../manifests/kube.js'
import { LEASES, type Lease } from '../../../manifests/lease.js'
import { bareStatus, StatusError } from '../../../manifests/status-error.js'
import { type ApiServer, startApiServer } from '../../../playground/apiserver/server.js'
import type { KubeApi, KubeRequest } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import { waitFor } from '../../patience.js'
import { replicaName } from '../../replica-name.js'
import { failed } from '../../silent.js'
import { ManualClock } from '../manual-clock.js'

export const namespace = 'kube-system'
export const name = 'kairship-controller-manager'
export const path = resourcePath(LEASES, { namespace, name })

export const leads = (lease: LeaseHandle) => waitFor(() => expect(lease.current().leading).toBe(true))
export const sees = (lease: LeaseHandle, holder: string) =>
  waitFor(() => expect(replicaName(lease.current().holder)).toBe(holder))
export const unavailable = () => Promise.reject(new StatusError(bareStatus(503, 'service unavailable')))

/** An election over one Lease of an embedded server, started anew for each test of the file that calls this. */
export function electionUnderTest() {
  let server: ApiServer
  let clock: ManualClock
  let logged: string[]
  let counted: Map<string, number>
  const started: LeaseHandle[] = []

  beforeEach(async () => {
    server = await startApiServer({ name: 'host' })
    clock = new ManualClock()
    logged = []
    counted = new Map()
  })
  afterEach(async () => {
    await Promise.all(started.splice(0).map(lease => lease.release()))
    await server.close()
  })

  /** The embedded server as one replica reaches it: `requests` are counted, and `fail` decides what becomes of them. */
  function connection(fail: (request: KubeRequest) => Promise<never> | undefined = () => undefined) {
    const requests: string[] = []
    const api: KubeApi = {
      server: server.url,
      async request<T>(request: KubeRequest) {
        requests.push(request.method)
        await fail(request)
        return server.local.request<T>(request)
      },
      watch: request => server.local.watch(request),
      close: () => Promise.resolve(),
    }
    return { api, requests }
  }

  const log: Log = {
    debug: () => undefined,
    info: (_, message) => logged.push(`info ${message}`),
    warn: (_, message) => logged.push(`warn ${message}`),
    error: (_, message) => logged.push(`error ${message}`),
    child: () => log,
  }

  function replica(identity: string, options: Partial<LeaseOptions> = {}): LeaseHandle {
    const meter = {
      count: (name: string, labels = {}) => {
        const key = `${name} ${Object.values(labels).join()}`
        counted.set(key, (counted.get(key) ?? 0) + 1)
      },
      gauge: (name: string, value: number) => void counted.set(`${name} ${identity}`, value),
      observe: () => undefined,
    }
    const handle = startLease({
      failed,
      api: connection().api,
      namespace,
      name,
      identity,
      contend: true,
      clock,
      log,
      meter,
      ...options,
    })
    started.push(handle)
    return handle
  }

  const read = (): Promise<Lease> => server.local.request<Lease>({ method: 'GET', path })
  /** Lets time pass in small steps, so that answers can come in between. */
  async function pass(ms: number, step = 500): Promise<void> {
    for (let passed = 0; passed < ms; passed += step) {
      clock.advance(step)
      await new Promise(setImmediate)
      await new Promise(setImmediate)
    }
  }
  return {
    get server() {
      return server
    },
    get clock() {
      return clock
    },
    /** `level message` of each line. */
    get logged() {
      return logged
    },
    /** The value of each metric by its name and labels. */
    get counted() {
      return counted
    },
    connection,
    replica,
    read,
    pass,
  }
}
