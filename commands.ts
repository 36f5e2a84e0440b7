/** The commands that run something: what each process does, as whom, and until when. The parts are joined in `main.ts`. */
import { kubeConnector } from './actors/kube/connector.js'
import { parseKubeconfig } from './actors/kube/kubeconfig.js'
import { loadKubeconfig } from './actors/kube/load-kubeconfig.js'
import { ExitCode } from './cli/exit-code.js'
import { aborted } from './cli/interruption.js'
import { createLog } from './cli/log.js'
import { playground, type StartedPlayground } from './cli/playground.js'
import type { ServerActions, Surroundings } from './cli/program.js'
import { readServingFiles } from './cli/serving-files.js'
import type { Config } from './config.js'
import { Lifecycle } from './lifecycle.js'
import { startKairship } from './main.js'

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
