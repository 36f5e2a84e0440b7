/**
 * The map: the only file that knows everything.
 *
 * Facts flow down:  host watch → streams → supervisor → instance actor → effect → host, Karmada and the other dependencies.
 * Requests come in: listener → authenticate → authorize → route → snapshot | index | Karmada → one place for errors.
 */
import { join } from 'node:path'
import { startControllerManager } from './actors/controller-manager.js'
import { keepHeap } from './actors/fleet/heap-at-rest.js'
import { allocateYoung, bindYoung } from './actors/fleet/young-objects.js'
import { bindingListOf } from './actors/global-management/binding-list.js'
import { webhookOf } from './actors/global-management/webhook-of.js'
import { WatchedAccounts } from './actors/host/watched-accounts.js'
import { registriesOf } from './actors/images/registries-of.js'
import { connectIssuer } from './actors/issuers/issuer-documents.js'
import { browserSignInOf } from './actors/issuers/sign-in-of.js'
import { type ConnectionOptions, connectKube } from './actors/kube/connection.js'
import { kubeConnector } from './actors/kube/connector.js'
import type { Kubeconfig } from './actors/kube/kubeconfig.js'
import { metered } from './actors/kube/metered.js'
import { metricsOf } from './actors/metrics/metrics-of.js'
import { openAuditLog } from './cli/log/audit-log.js'
import type { ServingFiles } from './cli/settings/serving-files.js'
import { packageRoot } from './config/package-root.js'
import type { Config } from './config.js'
import { auditEventOf } from './http/audit/audit-event.js'
import { startHealth } from './http/health/health-listener.js'
import { createMetrics, gaugeInstances, gaugeIssuers } from './http/health/metrics.js'
import { leadershipNote, readiness, readyChecks } from './http/health/readiness.js'
import type { Lifecycle } from './lifecycle.js'
import type { Log } from './ports/log.js'

/** What this process does, and as whom it speaks to the host while doing it. */
export interface Roles {
  /** Whether the controllers act when they hold the lease. They always watch: the API answers from what they observe. */
  readonly contend: boolean
  readonly controllers: Kubeconfig
  /** Absent: no API. */
  readonly api?: { readonly credential: Kubeconfig; readonly serving: ServingFiles }
}

/** Starts Kairship's parts in the order in which they need each other. They stop in reverse. */
export async function startKairship(config: Config, log: Log, lifecycle: Lifecycle, roles: Roles) {
  allocateYoung()
  bindYoung()
  // Only a process that serves the API loads it: that takes longer than the controllers do. First, so that they start undisturbed.
  const server = roles.api && (await import('./http/server.js'))
  const meter = createMetrics()
  let ready = async () => ({ ready: false, text: 'starting\n' })
  let metrics = meter.expose
  const health = await lifecycle.start(
    'health',
    () => startHealth({ listen: config.healthListen, readiness: () => ready(), metrics: () => metrics() }),
    part => part.close(),
  )
  log.info({ url: health.url }, 'health and metrics are listening')
  const connect = (kubeconfig: Kubeconfig, options: ConnectionOptions = {}) =>
    lifecycle.start(
      'host connection',
      () => connectKube(kubeconfig, { ...metered(meter, 'host'), ...options }),
      part => part.close(),
    )
  const host = await connect(roles.controllers)
  // What it answers is urgent, as below what callers wait for: it waits for no turn of the event loop.
  const leaseHost = await connect(roles.controllers, { turns: undefined })
  const auditLog = await lifecycle.start(
    'audit log',
    () => openAuditLog({ config, log, meter }),
    part => part.close(),
  )
  const roleBindings = await lifecycle.start(
    'list of role bindings',
    () => (roles.contend ? bindingListOf(config) : undefined),
    part => part?.close(),
  )
  const connector = kubeConnector(metered(meter, 'instance'))
  const { identity } = config
  const { fleet } = await lifecycle.start(
    'controllers',
    () =>
      startControllerManager({
        host,
        leaseHost,
        connector,
        identity,
        contend: roles.contend,
        config,
        log,
        meter,
        failed: error => lifecycle.fail(error),
        audit: event => auditLog.write(event),
        ...(config.externalUrl !== undefined && { console: config.externalUrl }),
        ...(roleBindings && { roleBindings: { list: roleBindings, everyMs: config.roleBindingsSyncMs } }),
        keepHeap,
      }),
    part => part.stop(),
    { firstOnFailure: true },
  )
  metrics = () => {
    gaugeInstances(fleet, meter)
    return meter.expose()
  }
  const checks = readyChecks({ fleet, host })
  ready = () => readiness(checks, [leadershipNote(fleet)])
  if (!roles.api || !server) return { fleet, health }
  const { credential, serving } = roles.api
  const answering = await connect(credential, { turns: undefined })
  const instanceMetrics = await lifecycle.start(
    'metrics service',
    () => metricsOf(config),
    part => part?.source.close(),
  )
  const registries = await lifecycle.start(
    'image registries',
    () => registriesOf(config),
    part => Promise.all(part.map(registry => registry.close())),
  )
  const browserSignIn = await lifecycle.start(
    'sign-in at an issuer',
    () => browserSignInOf(config),
    part => part?.issuer.close(),
  )
  const webhook = await lifecycle.start(
    'role-binding webhook',
    () => webhookOf(config, answering),
    () => undefined,
  )
  const accounts = await lifecycle.start(
    'service accounts',
    () => new WatchedAccounts(answering, log, meter).start(),
    part => part.stop(),
  )
  const api = await lifecycle.start(
    'API',
    () =>
      server.startApi({
        fleet,
        host: answering,
        accounts,
        connector: kubeConnector(metered(meter, 'member')),
        log,
        auditSink: record => auditLog.write(auditEventOf(record)),
        auditRecentEvents: config.auditRecentEvents,
        meter,
        listen: config.listen,
        grpcListen: config.grpcListen,
        proxyLimits: {
          requestsPerInstance: config.proxyRequestsPerInstance,
          requestsPerCaller: config.proxyRequestsPerCaller,
          requestsPerAccountNamespace: config.proxyRequestsPerAccountNamespace,
          streamsPerCaller: config.proxyStreamsPerCaller,
          streamsPerInstance: config.proxyStreamsPerInstance,
          streamsPerAccountNamespace: config.proxyStreamsPerAccountNamespace,
          patienceMs: config.proxyPatienceMs,
        },
        slowRequests: {
          bodyIdleMs: config.requestBodyIdleMs,
          bodyBytesPerSecond: config.requestBodyBytesPerSecond,
          requestMs: config.requestReceiveMs,
        },
        answerMemory: {
          mebibytes: config.answerMemoryMebibytes,
          waitMs: config.answerMemoryWaitMs,
        },
        ...(config.workers > 0 && {
          workers: {
            count: config.workers,
            program: join(packageRoot(), 'dist', 'kairship-worker.js'),
          },
        }),
        unauthenticatedConnectionsPerSource: config.unauthenticatedConnectionsPerSource,
        checkNewcomers: config.proxyCheckNewcomers,
        rightsGraceMs: config.proxyRightsGraceMs,
        hostGraceMs: config.hostGraceMs,
        namespace: config.namespace,
        karmadaVersion: config.karmadaVersion,
        ...(!config.noConsole && { console: join(packageRoot(), 'dist', 'console') }),
        registries,
        ...(instanceMetrics && { metrics: instanceMetrics }),
        ...(webhook && { webhook }),
        ...(config.authenticationConfig !== undefined && {
          authentication: {
            file: config.authenticationConfig,
            connect: connectIssuer,
            graceMs: config.issuerKeysGraceMs,
            ...(browserSignIn && { browserSignIn }),
            ...(config.loginClientId !== undefined && {
              login: {
                clientId: config.loginClientId,
                scopes: config.loginScopes,
                ...(config.loginPrompt !== undefined && { prompt: config.loginPrompt }),
              },
            }),
          },
        }),
        ...(config.externalUrl !== undefined && { externalUrl: config.externalUrl }),
        ...serving,
      }),
    part => part.close(),
  )
  ready = api.readiness
  metrics = () => {
    gaugeInstances(fleet, meter)
    gaugeIssuers(api.issuers(), meter)
    return meter.expose()
  }
  return { fleet, health, api }
}
