/** The commands that run something: what each process does, as whom, and until when. The parts are joined in `main.ts`. */
import { ExitCode } from './cli/exit-code.js'
import { createLog } from './cli/log/log.js'
import { playground, type StartedPlayground } from './cli/playground/playground.js'
import { programFrom } from './cli/playground/shell.js'
import { aborted } from './cli/program/interruption.js'
import type { ProcessContext, ServerActions } from './cli/program/program.js'
import { publishAuthority, readServingFiles } from './cli/settings/serving-files.js'
import type { Config } from './config.js'
import { Lifecycle } from './lifecycle.js'
import type { ApiServer } from './playground/apiserver/server.js'
import { lockFolder } from './playground/fleet/folder-lock.js'
import { CONTROL_PLANE_ADMIN } from './playground/karmada/proxy-admin.js'

/** A server on a real host cluster, until it is interrupted or fails. */
async function serve(
  config: Config,
  { interrupted }: ProcessContext,
  part: 'everything' | 'api' | 'controllers',
): Promise<ExitCode> {
  const log = createLog(config)
  const lifecycle = new Lifecycle(log, interrupted, process)
  return lifecycle.around(async () => {
    const { loadKubeconfig } = await import('./actors/kube/load-kubeconfig.js')
    const { startKairship } = await import('./main.js')
    const host = await loadKubeconfig(config.kubeconfig === undefined ? {} : { path: config.kubeconfig })
    const { api } = await startKairship(config, log, lifecycle, {
      contend: part !== 'api',
      controllers: host,
      ...(part !== 'controllers' && { api: { credential: host, serving: readServingFiles(config) } }),
    })
    await lifecycle.start(
      'authority file',
      () => publishAuthority(api?.certificateAuthority, log),
      file => file.close(),
    )
    await aborted(lifecycle.stopping)
    return ExitCode.ok
  })
}

/** So many instances of a playground, and their members, get files with kubeconfigs. */
const MOST_KUBECONFIGS = 10

/** A whole fleet in this process, with Kairship on top under the rights its manifests give it, and no more. */
async function servePlayground(config: Config, { terminal, interrupted }: ProcessContext): Promise<ExitCode> {
  const log = createLog(config)
  const lifecycle = new Lifecycle(log, interrupted, process)
  const start = async (progress: (text: string) => void, folder: string): Promise<StartedPlayground> => {
    // Only this command needs the embedded engines; a Kairship in production does not even load them.
    const [
      { startPlayground },
      { Chaos },
      { serveChaos },
      { kubeConnector },
      { parseKubeconfig },
      { startKairship },
      { addressesFor, keepServing, readServing },
      { granted },
      { selfSigned, servingNames },
      { signInLink },
      { startIssuer },
    ] = await Promise.all([
      import('./playground/fleet/fleet.js'),
      import('./playground/fleet/chaos/chaos.js'),
      import('./playground/fleet/chaos/chaos-server.js'),
      import('./actors/kube/connector.js'),
      import('./actors/kube/kubeconfig.js'),
      import('./main.js'),
      import('./playground/fleet/kept-serving.js'),
      import('./playground/fleet/granted.js'),
      import('./http/listener/serving-certificate.js'),
      import('./cli/client/sign-in-link.js'),
      import('./playground/issuer/start-issuer.js'),
    ])
    const kept = config.data === undefined ? undefined : readServing(config.data)
    const { host, karmadas, members, kubeconfigs, tokens } = await lifecycle.start(
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
    const { url, token } = await lifecycle.start(
      'chaos control',
      () => serveChaos(new Chaos(members)),
      part => part.close(),
    )
    const own = (kubeconfig: string) => parseKubeconfig(kubeconfig, { local: false })
    const addresses = addressesFor(config, kept?.addresses)
    const tls = kept?.tls ?? (await selfSigned(servingNames([addresses.listen, addresses.grpcListen])))
    // Whoever names issuers of their own has those, and not the playground's.
    const issuer =
      config.authenticationConfig === undefined
        ? await lifecycle.start(
            'issuer',
            () => startIssuer({ tls, log: log.child({ part: 'issuer' }), dataDir: config.data, folder }),
            part => part.close(),
          )
        : undefined
    const settled = { ...config, ...addresses, ...issuer?.settings }
    const { fleet, api, health } = await startKairship(settled, log, lifecycle, {
      contend: true,
      controllers: own(kubeconfigs.controllerManager),
      api: {
        credential: own(kubeconfigs.apiserver),
        serving: { tls, clientCertificateAuthority: host.certificateAuthority },
      },
    })
    if (config.data !== undefined && api)
      keepServing(config.data, {
        addresses: {
          listen: new URL(api.url).host,
          grpcListen: api.grpcAddress,
          healthListen: new URL(health.url).host,
        },
        tls,
      })
    if (api) issuer?.serve({ url: config.externalUrl?.replace(/\/$/, '') ?? api.url })
    progress('Kairship')
    const instances = [...karmadas.keys()]
    const membersOf = (instance: string) => [...members].filter(([name]) => name.startsWith(`${instance}-`))
    const kubeconfigsOf = async (clusters: readonly (readonly [string, { readonly server: ApiServer }])[]) =>
      Object.fromEntries(
        await Promise.all(
          clusters.map(async ([name, { server }]) => [
            name,
            await server.kubeconfig({ name: CONTROL_PLANE_ADMIN, groups: ['system:masters'] }),
          ]),
        ),
      )
    const member = membersOf(instances[0] ?? '')[0]?.[0]
    return {
      instances,
      ...(member !== undefined && { member }),
      fleet,
      granted: signal => granted(host.local, instances, signal),
      ...(api &&
        !config.noConsole && {
          consoleLink: () =>
            signInLink({
              server: api.url,
              token: tokens.admin,
              certificateAuthorityData: api.certificateAuthority ?? '',
            }),
        }),
      urls: { api: api?.url ?? '', grpc: api?.grpcAddress ?? '', health: health.url, host: host.url },
      secrets: {
        server: api?.url ?? '',
        certificateAuthority: api?.certificateAuthority ?? '',
        adminToken: tokens.admin,
        viewerToken: tokens.viewer,
        hostKubeconfig: kubeconfigs.admin,
        chaos: { url, token },
        ...(issuer && { issuer: { url: issuer.url, password: issuer.password } }),
        instanceKubeconfigs: await kubeconfigsOf([...karmadas].slice(0, MOST_KUBECONFIGS)),
        memberKubeconfigs: await kubeconfigsOf(instances.slice(0, MOST_KUBECONFIGS).flatMap(membersOf)),
      },
    }
  }
  return lifecycle.around(() =>
    playground(config, {
      start,
      lock: lockFolder,
      terminal,
      interrupted: lifecycle.stopping,
      elapsedMs: () => performance.now(),
      program: programFrom(process.cwd(), process.argv[1] ?? ''),
    }),
  )
}

/** The commands that run something, for the process of `kairship.ts`. */
export const serverActions = (dependencies: ProcessContext): ServerActions => ({
  playground: config => servePlayground(config, dependencies),
  serve: config => serve(config, dependencies, 'everything'),
  apiserver: config => serve(config, dependencies, 'api'),
  'controller-manager': config => serve(config, dependencies, 'controllers'),
})
