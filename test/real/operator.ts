import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type ApiClient, type ApiCredentials, kubeconfigText, readManifests } from './api-client.js'
import { moduleFolder, programPath } from './build.js'
import { EngineProcess } from './engine-process.js'
import { established, namespace } from './karmada.js'
import { freePort } from './ports.js'
import { answersHttp } from './probe.js'
import type { Site } from './site.js'

/** karmada-operator at work on the host. */
export interface Operator {
  readonly process: EngineProcess
  /** What a Karmada object's `spec.crdTarball.httpSource.url` names, so that the operator downloads nothing from elsewhere. */
  readonly crdTarball: string
  stop(): Promise<void>
}

/** The host needs to know what a Karmada object is before Kairship starts to watch them. */
export async function installOperatorCrd(host: ApiClient): Promise<void> {
  const [crd] = readManifests(join(operatorFolder(), 'config/crds/operator.karmada.io_karmadas.yaml'))
  if (crd === undefined) throw new Error('karmada-operator ships no CRD')
  await host.apply(crd)
  await established(host, crd)
}

/** Starts karmada-operator on the host, under an administrator's credentials. */
export async function startOperator(
  host: ApiClient,
  credentials: ApiCredentials,
  folder: Site['folder'],
): Promise<Operator> {
  const own = join(folder, 'karmada-operator')
  mkdirSync(own, { recursive: true })
  const kubeconfig = join(own, 'kubeconfig.yaml')
  writeFileSync(kubeconfig, kubeconfigText('host', credentials), { mode: 0o600 })
  await host.apply(namespace('karmada-system'))
  const tarball = await serveCrds(own)
  const health = await freePort()
  const process = new EngineProcess({
    name: 'karmada-operator',
    ...inOwnVarLib(programPath('karmada-operator'), [
      `--kubeconfig=${kubeconfig}`,
      '--leader-elect=false',
      '--metrics-bind-address=0',
      `--health-probe-bind-address=127.0.0.1:${health}`,
      '--v=2',
    ]),
    log: join(own, 'log'),
    isReady: () => answersHttp(`http://127.0.0.1:${health}/healthz`),
  })
  await process.start()
  return {
    process,
    crdTarball: tarball.url,
    stop: async () => {
      await process.stop()
      tarball.close()
    },
  }
}

const operatorFolder = (): string =>
  join(moduleFolder('karmada', 'github.com/karmada-io/karmada'), 'operator')

/**
 * The operator unpacks CRDs below /var/lib/karmada, which cannot be changed. In a mount namespace of its own that is a folder
 * nobody else sees, and it needs no root. Where that is not allowed it is the real one.
 */
function inOwnVarLib(program: string, args: readonly string[]): { command: string; args: readonly string[] } {
  const isolated = ['--map-root-user', '--mount', '--', 'sh', '-c']
  const script = 'mount -t tmpfs none /var/lib && exec "$0" "$@"'
  const possible = spawnSync('unshare', [...isolated, script, 'true'], { stdio: 'ignore' }).status === 0
  return possible
    ? { command: 'unshare', args: [...isolated, script, program, ...args] }
    : { command: program, args }
}

/** Karmada's CRDs as the archive that its releases carry, served on loopback. */
async function serveCrds(folder: string): Promise<{ url: string; close(): void }> {
  const chart = join(moduleFolder('karmada', 'github.com/karmada-io/karmada'), 'charts/karmada')
  const archive = join(folder, 'crds.tar.gz')
  const renamed = ['--transform', 's/^_crds/crds/', '--mode', 'u+rwX']
  // The operator makes no parent folders: the outermost must be an entry, too.
  const entries = ['--no-recursion', '_crds', '--recursion', '_crds/bases', '_crds/patches']
  execFileSync('tar', ['-czf', archive, '-C', chart, ...renamed, ...entries])
  const bytes = readFileSync(archive)
  const server = createServer((_request, response) => response.end(bytes)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/crds.tar.gz`, close: () => server.close() }
}
