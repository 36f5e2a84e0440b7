import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { sampleActivity } from './activity/sampling.js'
import type { Api, ApiOptions } from './api-options.js'
import { Audit } from './audit/audit.js'
import { recentEventOf } from './audit/recent-event.js'
import { RecentEvents } from './audit/recent-events.js'
import { keepRoleEvents } from './audit/role-events.js'
import { readAssets } from './console/assets.js'
import { Console } from './console/console.js'
import { sessionKeyOf } from './console/sessions.js'
import { startGrpc } from './grpc/server.js'
import {
  type Check,
  ignoredLockNotes,
  leadershipNote,
  type Readiness,
  readiness,
  readyChecks,
  unansweredReviewsNotes,
  unwatchedAccountsNotes,
} from './health/readiness.js'
import { AuthenticationFile } from './identity/oidc/authentication-file.js'
import { rolePlacesOf } from './identity/role-places.js'
import { UnauthenticatedConnections } from './identity/unauthenticated-connections.js'
import { formatAddress, parseAddress } from './listener/address.js'
import { hardened, type Listener, listen, SLOW_REQUESTS } from './listener/listener.js'
import { Pipelines } from './listener/pipelines.js'
import { relayedServer, tlsServerOptions } from './listener/servers.js'
import { selfSigned, servingNames } from './listener/serving-certificate.js'
import { endUnreadAnswer } from './listener/unread-answer.js'
import { refuseUpgradeHere } from './listener/upgrade-response.js'
import { managementApi } from './management-api.js'
import { instanceProxy } from './proxy/proxy.js'
import { requestParts } from './proxy/request-parts.js'
import { CatchUp } from './read-your-writes/catch-up.js'
import { WriteLedger } from './read-your-writes/ledger.js'
import { restApp } from './rest/app.js'
import { addDocuments } from './rest/documents.js'
import type { RestEnv } from './rest/env.js'
import { addLoginDocument } from './rest/login-document.js'
import { StoredLocks } from './rpc/access-lock/access-locks.js'
import { addDeliveries } from './webhook/deliveries-route.js'
import { UnsetWebhook } from './webhook/unset-webhook.js'
import type { Front } from './workers/front.js'

const DEFAULT_STREAMS_PER_CALLER = 100
/** As the setting's default. */
const DEFAULT_RECENT_EVENTS = 10_000
const DEFAULT_GRACE_MS = 5_000
/** As the setting's default. */
const DEFAULT_UNAUTHENTICATED_CONNECTIONS = 2_000
/** As long as the proxy's default. */
const DEFAULT_ANSWER_PATIENCE_MS = 60_000

/** @returns calls it off */
const later = (then: () => void, ms: number): (() => void) => {
  const timer = setTimeout(then, ms).unref()
  return () => clearTimeout(timer)
}

/** @throws ServiceSettingError for a file that cannot be used */
const openAuthentication = ({ authentication, log, meter }: ApiOptions) =>
  authentication &&
  AuthenticationFile.open({
    ...authentication,
    log,
    meter,
    now: () => performance.now(),
    wallClock: () => Date.now(),
    schedule: later,
  })

/** Starts REST and gRPC, each on its TLS listener, over the same services. */
export async function startApi(options: ApiOptions): Promise<Api> {
  const { fleet, log, clientCertificateAuthority, graceMs = DEFAULT_GRACE_MS } = options
  const slowRequests = { ...SLOW_REQUESTS, ...options.slowRequests }
  const [address, grpcAddress] = [parseAddress(options.listen), parseAddress(options.grpcListen)]
  const tls = options.tls ?? (await selfSigned(servingNames([options.listen, options.grpcListen])))
  const authentication = await openAuthentication(options)
  let url = ''
  const { certificateAuthority } = tls
  const now = () => performance.now()
  const baseUrl = () => options.externalUrl?.replace(/\/$/, '') ?? url
  const configurations = () => authentication?.issuers.configurations() ?? []
  const ledger = new WriteLedger(now)
  const recentEvents = new RecentEvents({
    most: options.auditRecentEvents ?? DEFAULT_RECENT_EVENTS,
    isInstance: name => fleet.get(name) !== undefined,
  })
  const audit = new Audit(record => {
    recentEvents.keep(recentEventOf(record))
    options.auditSink(record)
  })
  const parts = requestParts({ ...options, now, ledger, limits: options.proxyLimits })
  const api = managementApi({
    ...options,
    audit,
    recentEvents,
    parts,
    catchUp: new CatchUp(ledger),
    now,
    proxy: () => ({
      url: baseUrl(),
      ...(certificateAuthority ? { certificateAuthority } : {}),
    }),
    karmadaVersion: options.karmadaVersion ?? '',
    streamsPerCaller: options.streamsPerCaller ?? DEFAULT_STREAMS_PER_CALLER,
    issuers: authentication?.issuers,
  })
  let closing: Promise<void> | undefined
  const running: Check = {
    name: 'running',
    problem: async () => (closing ? 'the server is shutting down' : undefined),
  }
  const checks = [running, ...readyChecks(options)]
  const unsetWebhook = new UnsetWebhook(options)
  let front: Front | undefined
  const askReady = () =>
    readiness(front ? [...checks, front.check] : checks, [
      leadershipNote(fleet),
      ...ignoredLockNotes(fleet),
      ...unansweredReviewsNotes(api.unansweredReviews()),
      ...unwatchedAccountsNotes(options.accounts),
      ...unsetWebhook.notes(),
      ...(authentication?.notes() ?? []),
    ])

  const operations = api.services.flatMap(service => service.operations)
  const connections = new UnauthenticatedConnections({
    ...options,
    now,
    most: options.unauthenticatedConnectionsPerSource ?? DEFAULT_UNAUTHENTICATED_CONNECTIONS,
  })
  const restAuthenticator = connections.releasing(api.authenticator, 'rest')
  const assets = options.console === undefined ? undefined : readAssets(options.console)
  if (options.console !== undefined && !assets)
    log.warn({ folder: options.console }, 'the console was not built, so it is not served: run npm run build')
  const page =
    assets &&
    new Console({
      assets,
      authenticator: restAuthenticator,
      endedTokens: api.endedTokens,
      locks: fleet.accessLocks,
      storedLocks: new StoredLocks(options.host),
      audit,
      sessionKey: sessionKeyOf(tls.key),
      now,
      later,
      log,
      signIn: options.authentication?.browserSignIn,
      issuers: configurations,
      baseUrl,
    })
  const app = restApp({
    ...options,
    ...api,
    audit,
    authenticator: restAuthenticator,
    operations,
    anonymous: app => {
      addHealth(app, askReady)
      addDocuments(app, api.services)
      page?.anonymous(app)
      if (options.webhook)
        addDeliveries(app, {
          ...options.webhook,
          audit,
          log,
          meter: options.meter,
          places: rolePlacesOf(fleet),
        })
      else unsetWebhook.addTo(app)
      addLoginDocument(app, configurations, options.authentication?.login)
    },
    authenticated: app => page?.authenticated(app),
  })
  const proxyOptions = { ...options, ...api, ...parts, audit, authenticator: restAuthenticator }
  const proxy = instanceProxy(proxyOptions)
  const rest = getRequestListener(app.fetch)
  const withSession = (request: IncomingMessage, answer: ServerResponse | Duplex, then: () => void) =>
    page ? page.withSession(request, answer, then) : then()
  const pipelines = new Pipelines()
  const secured = { ...tls, clientCertificateAuthority, slowRequests }
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    if (!pipelines.admits(request.socket, response)) return
    withSession(request, response, () => {
      if (proxy.request(request, response)) return
      endUnreadAnswer(response, options.answerPatienceMs ?? DEFAULT_ANSWER_PATIENCE_MS)
      void rest(request, response)
    })
  }
  const server = hardened<Server>(
    options.workers ? relayedServer(slowRequests, answer) : createServer(tlsServerOptions(secured), answer),
    slowRequests,
  )
  const guard = (listener: Pick<NetServer, 'prependListener'>) => connections.guard(listener, 'rest')
  if (!options.workers) guard(server)
  server.on('upgrade', (request, socket, head) => {
    withSession(request, socket, () => {
      if (page?.upgrade(request, socket, head) || proxy.upgrade(request, socket, head)) return
      refuseUpgradeHere(request, socket)
    })
  })
  const grpc = await startGrpc({
    ...options,
    ...api,
    audit,
    authenticator: connections.releasing(api.authenticator, 'grpc'),
    guard: listener => connections.guard(listener, 'grpc'),
    ...grpcAddress,
    tls,
    clientCertificateAuthority,
    requestMs: slowRequests.requestMs,
    ready: async () => (await askReady()).ready,
  })
  let listener: Listener
  try {
    front =
      options.workers &&
      (await (
        await import('./workers/front.js')
      ).startFront({
        ...options.workers,
        ...{ address, server, guard, proxy: proxyOptions },
        settings: { ...secured, patienceMs: parts.patienceMs },
      }))
    listener = front ?? (await listen(server, address))
  } catch (error) {
    await grpc.close(0)
    authentication?.close()
    throw error
  }
  url = `https://${formatAddress({ host: address.host, port: listener.port })}`
  const endRoleEvents = keepRoleEvents(recentEvents, fleet.roleBindings)
  log.info({ url, grpc: grpc.address }, 'the API is listening')
  const endSampling = sampleActivity(parts.activity, fleet)

  const stop = async () => {
    grpc.stopServing()
    endRoleEvents()
    page?.close()
    api.endStreams()
    proxy.endStreams()
    await Promise.all([listener.close(graceMs), grpc.close(graceMs)])
    proxy.close()
    endSampling()
    api.live.close()
    authentication?.close()
    log.info({ url }, 'the API has stopped')
  }
  return {
    url,
    grpcAddress: grpc.address,
    ...(certificateAuthority ? { certificateAuthority } : {}),
    readiness: askReady,
    issuers: () => authentication?.statuses() ?? [],
    close() {
      closing ??= Promise.resolve().then(stop)
      return closing
    },
  }
}

/** Open to anyone. */
function addHealth(app: Hono<RestEnv>, readiness: () => Promise<Readiness>): void {
  for (const path of ['/healthz', '/livez']) app.get(path, c => c.text('ok'))
  app.get('/readyz', async c => {
    const { ready, text } = await readiness()
    return c.text(text, ready ? 200 : 503)
  })
}
