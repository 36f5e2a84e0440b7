/**
 * The map: the only file that knows everything.
 *
 * Facts flow down:  host watch → streams → supervisor → instance actor → effect → host, Karmada and the other neighbours.
 * Requests come in: listener → authenticate → authorize → route → snapshot | index | Karmada → one door for errors.
 */
import { startControllerManager } from './actors/controller-manager.js'
import { connectKube } from './actors/kube/connection.js'
import { kubeConnector } from './actors/kube/connector.js'
import { type Kubeconfig, parseKubeconfig } from './actors/kube/kubeconfig.js'
import { loadKubeconfig } from './actors/kube/load-kubeconfig.js'
import { metered } from './actors/kube/metered.js'
import { ExitCode } from './cli/exit-code.js'
import { aborted } from './cli/interruption.js'
import { createLog } from './cli/log.js'
import { playground, type StartedPlayground } from './cli/playground.js'
import type { ServerActions, Surroundings } from './cli/program.js'
import { readServingFiles, type ServingFiles } from './cli/serving-files.js'
import type { Config } from './config.js'
import { leadershipNote, readiness, readyChecks, startHealth } from './http/health.js'
import { createMetrics, gaugeInstances } from './http/metrics.js'
import { startApi } from './http/server.js'
import { Lifecycle } from './lifecycle.js'
import type { Log } from './ports/log.js'

/** What this process does, and as whom it speaks to the host while doing it. */
interface Roles {
  /** Whether the controllers act when they hold the lease. They always watch: the API answers from what they know. */
  readonly contend: boolean
  readonly controllers: Kubeconfig
  /** Absent: no API. */
  readonly api?: { readonly credential: Kubeconfig; readonly serving: ServingFiles }
}

/** Starts Kairship's parts in the order in which they need each other. They stop in reverse. */
async function startKairship(config: Config, log: Log, lifecycle: Lifecycle, roles: Roles) {
  const meter = createMetrics()
  let ready = async () => ({ ready: false, text: 'starting\n' })
  let metrics = meter.expose
  const health = await lifecycle.start(
    'health',
    () => startHealth({ listen: config.healthListen, readiness: () => ready(), metrics: () => metrics() }),
    part => part.close(),
  )
  log.info({ url: health.url }, 'health and metrics are listening')
  const connect = (kubeconfig: Kubeconfig) =>
    lifecycle.start(
      'host connection',
      () => connectKube(kubeconfig, metered(meter, 'host')),
      part => part.close(),
    )
  const host = await connect(roles.controllers)
  const leaseHost = await connect(roles.controllers)
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
      }),
    part => part.stop(),
  )
  metrics = () => {
    gaugeInstances(fleet, meter)
    return meter.expose()
  }
  const checks = readyChecks({ fleet, host })
  ready = () => readiness(checks, [leadershipNote(fleet)])
  if (!roles.api) return { fleet, health }
  const { credential, serving } = roles.api
  const answering = await connect(credential)
  const api = await lifecycle.start(
    'API',
    () =>
      startApi({
        fleet,
        host: answering,
        log,
        meter,
        listen: config.listen,
        grpcListen: config.grpcListen,
        doorLimits: {
          requestsPerInstance: config.proxyRequestsPerInstance,
          streamsPerCaller: config.proxyStreamsPerCaller,
          streamsPerInstance: config.proxyStreamsPerInstance,
          patienceMs: config.proxyPatienceMs,
        },
        karmadaVersion: config.karmadaVersion,
        ...(config.externalUrl !== undefined && { externalUrl: config.externalUrl }),
        ...serving,
      }),
    part => part.close(),
  )
  ready = api.readiness
  return { fleet, health, api }
}

/** A server on a real host cluster, until it is interrupted. */
async function serve(
  config: Config,
  { interrupted }: Surroundings,
  part: 'everything' | 'api' | 'controllers',
): Promise<ExitCode> {
  const log = createLog(config)
  const lifecycle = new Lifecycle(log, interrupted)
  return lifecycle.around(async () => {
    const host = await loadKubeconfig(config.kubeconfig === undefined ? {} : { path: config.kubeconfig })
    await startKairship(config, log, lifecycle, {
      contend: part !== 'api',
      controllers: host,
      ...(part !== 'controllers' && { api: { credential: host, serving: readServingFiles(config) } }),
    })
    await aborted(interrupted)
    return ExitCode.ok
  })
}

/** A whole fleet in this process, with Kairship on top under the rights its manifests give it, and no more. */
async function servePlayground(config: Config, { terminal, interrupted }: Surroundings): Promise<ExitCode> {
  const log = createLog(config)
  const lifecycle = new Lifecycle(log, interrupted)
  // Only this command needs the embedded engines; a Kairship in production does not even load them.
  const { startPlayground } = await import('./playground/fleet.js')
  const start = async (progress: (text: string) => void): Promise<StartedPlayground> => {
    const { host, karmadas, kubeconfigs, tokens } = await lifecycle.start(
      'playground',
      () =>
        startPlayground({
          instances: config.instances,
          membersPerInstance: config.members,
          connector: kubeConnector(),
          log,
          onProgress: ({ started }) => progress(started),
          ...(config.data !== undefined && { dataDir: config.data }),
        }),
      part => part.close(),
    )
    const own = (kubeconfig: string) => parseKubeconfig(kubeconfig, { local: false })
    const { fleet, api, health } = await startKairship(config, log, lifecycle, {
      contend: true,
      controllers: own(kubeconfigs.controllerManager),
      api: {
        credential: own(kubeconfigs.apiserver),
        serving: { clientCertificateAuthority: host.certificateAuthority },
      },
    })
    progress('Kairship')
    const people = [...karmadas]
      .slice(0, 10)
      .map(async ([name, karmada]) => [
        name,
        await karmada.server.kubeconfig({ name: 'admin', groups: ['system:masters'] }),
      ])
    return {
      instances: [...karmadas.keys()],
      fleet,
      urls: { api: api?.url ?? '', grpc: api?.grpcAddress ?? '', health: health.url, host: host.url },
      secrets: {
        server: api?.url ?? '',
        certificateAuthority: api?.certificateAuthority ?? '',
        adminToken: tokens.admin,
        viewerToken: tokens.viewer,
        hostKubeconfig: kubeconfigs.admin,
        instanceKubeconfigs: Object.fromEntries(await Promise.all(people)),
      },
    }
  }
  return lifecycle.around(() =>
    playground(config, { start, terminal, interrupted, elapsedMs: () => performance.now() }),
  )
}

/** The commands that run something, for the process of `kairship.ts`. */
export const serverActions = (surroundings: Surroundings): ServerActions => ({
  playground: config => servePlayground(config, surroundings),
  serve: config => serve(config, surroundings, 'everything'),
  apiserver: config => serve(config, surroundings, 'api'),
  'controller-manager': config => serve(config, surroundings, 'controllers'),
})
