import { Audit } from '../../../http/audit/audit.js'
import { recentEventOf } from '../../../http/audit/recent-event.js'
import { RecentEvents } from '../../../http/audit/recent-events.js'
import { type ApiDependencies, type ManagementApi, managementApi } from '../../../http/management-api.js'
import type { ProxyLimits } from '../../../http/proxy/limits.js'
import { requestParts } from '../../../http/proxy/request-parts.js'
import { CatchUp } from '../../../http/read-your-writes/catch-up.js'
import { WriteLedger } from '../../../http/read-your-writes/ledger.js'
import { restApp } from '../../../http/rest/app.js'
import type { KubeConnector } from '../../../ports/kube-api.js'
import type { Meter } from '../../../ports/meter.js'
import { type FakeFleet, fakeFleet, viewOf } from './fleet.js'
import { type FakeHost, fakeHost, type ReviewedSpec } from './host.js'
import { fakeLog } from './log.js'

/** No test over fakes reaches a cluster. */
export const noConnector: KubeConnector = {
  connect: () => Promise.reject(new Error('there are no clusters here')),
}

/** A meter that counts. */
export function fakeMeter() {
  const counts = new Map<string, number>()
  const meter: Meter = {
    count: (name, labels = {}, by = 1) => {
      const key = `${name}${JSON.stringify(labels)}`
      counts.set(key, (counts.get(key) ?? 0) + by)
    },
    gauge: () => undefined,
    observe: () => undefined,
  }
  return { meter, counts }
}

/**
 * The management API over fakes. Tokens: `admin` and `second` may everything; `viewer` may list, watch and get; `north-only` may get
 * the instance `north` and nothing else; `creator` may create instances and nothing else; `nobody` is known and may nothing.
 */
export function testApi(
  fleet: FakeFleet = fakeFleet(viewOf('north'), viewOf('south', 'degraded')),
  {
    limits,
    ...options
  }: Partial<Pick<ApiDependencies, 'catchUp' | 'now' | 'streamsPerCaller'>> & {
    readonly limits?: Partial<ProxyLimits>
  } = {},
) {
  const host: FakeHost = fakeHost({
    tokens: {
      admin: { user: 'admin', groups: ['admins'] },
      second: { user: 'second', groups: ['admins'] },
      viewer: { user: 'viewer' },
      'north-only': { user: 'north-only' },
      creator: { user: 'creator' },
      nobody: { user: 'nobody' },
    },
    allows: allowsByUser,
  })
  for (const view of fleet.views.values()) host.instances.set(view.name, view.instance)
  const log = fakeLog()
  const { meter, counts } = fakeMeter()
  const recentEvents = new RecentEvents({ most: 100, isInstance: name => fleet.get(name) !== undefined })
  const audit = new Audit(record => {
    recentEvents.keep(recentEventOf(record))
    log.auditSink(record)
  })
  const ledger = new WriteLedger(() => performance.now())
  const api: ManagementApi = managementApi({
    fleet,
    host,
    connector: noConnector,
    log,
    audit,
    recentEvents,
    meter,
    karmadaVersion: 'v1.18.2',
    proxy: () => ({ url: 'https://kairship.test', certificateAuthority: 'PEM' }),
    streamsPerCaller: 3,
    catchUp: new CatchUp(ledger),
    parts: requestParts({ fleet, log, meter, ledger, now: () => performance.now(), limits }),
    ...options,
  })
  let served: ReturnType<typeof restApp> | undefined
  /** Made when it is first asked: its routes are most of what this costs, and tests on sockets have those of their server. */
  const app = () => {
    served ??= restApp({
      ...api,
      operations: api.services.flatMap(({ operations }) => operations),
      log,
      audit,
      meter,
    })
    return served
  }
  const call = async (token: string, method: string, path: string, body?: unknown, headers = {}) => {
    const init = {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }
    const response = await app().request(`/apis/kairship.io/v1alpha1${path}`, init, {})
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
    const json = (await response.json()) as any
    return { status: response.status, headers: response.headers, json }
  }
  return {
    ...{ api, call, host, fleet, log, counts },
    get app() {
      return app()
    },
  }
}

function allowsByUser({ user, resourceAttributes: asked }: ReviewedSpec): boolean {
  if (user === 'admin' || user === 'second') return true
  if (user === 'creator') return asked?.verb === 'create' && asked.resource === 'instances'
  if (user === 'viewer') return asked !== undefined && ['get', 'list', 'watch'].includes(asked.verb)
  return user === 'north-only' && asked?.verb === 'get' && asked.name === 'north'
}
