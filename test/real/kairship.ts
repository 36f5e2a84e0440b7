import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ApiClient,
  type ApiCredentials,
  type ApiObject,
  kubeconfigText,
  readManifests,
} from './api-client.js'
import { EngineProcess } from './engine-process.js'
import { freePort } from './ports.js'
import { answersHttp } from './probe.js'
import { repositoryFolder } from './repository.js'
import type { ProvidedStack } from './stack.js'

/** Where Kairship keeps its lease and secrets on the host. */
export const kairshipNamespace = 'kairship-system'

/** Applies Kairship's own CRDs and RBAC, but not its Deployments: the suites run the program themselves. */
export async function installKairship(host: ApiClient): Promise<void> {
  const manifests = join(repositoryFolder, 'manifests')
  const crds = readFolder(join(manifests, 'crds'))
  for (const crd of crds) await host.apply(crd)
  const install = readFolder(join(manifests, 'install')).filter(
    ({ kind }) => kind !== 'Deployment' && kind !== 'Service',
  )
  for (const object of install) await host.apply(object)
}

function readFolder(folder: string): ApiObject[] {
  return readdirSync(folder)
    .filter(file => file.endsWith('.yaml'))
    .sort()
    .flatMap(file => readManifests(join(folder, file)))
}

/** Where the built program is, by the package's own word. */
const { bin } = JSON.parse(readFileSync(join(repositoryFolder, 'package.json'), 'utf8')) as {
  bin: { kairship: string }
}

/** The built program. */
export const kairshipProgram = join(repositoryFolder, bin.kairship)

/** One Kairship process as its manifests run it, under its ServiceAccount's rights and no more. */
export async function startKairship(
  host: ApiClient,
  folder: string,
  name: string,
  flags: readonly string[] = [],
  command: 'controller-manager' | 'apiserver' = 'controller-manager',
): Promise<EngineProcess> {
  mkdirSync(folder, { recursive: true })
  const kubeconfig = join(folder, `${name}.yaml`)
  writeFileSync(kubeconfig, kubeconfigText('host', await accountCredentials(host, `kairship-${command}`)), {
    mode: 0o600,
  })
  const health = await freePort()
  const engine = new EngineProcess({
    name,
    command: process.execPath,
    args: [
      kairshipProgram,
      command,
      `--kubeconfig=${kubeconfig}`,
      ...(command === 'apiserver' ? [] : [`--namespace=${kairshipNamespace}`, `--identity=${name}`]),
      `--health-listen=127.0.0.1:${health}`,
      '--log-format=text',
      ...flags,
    ],
    log: join(folder, `${name}.log`),
    isReady: () => answersHttp(`http://127.0.0.1:${health}/healthz`),
  })
  await engine.start()
  return engine
}

async function accountCredentials(host: ApiClient, account: string): Promise<ApiCredentials> {
  const { status } = await host.must<{ status: { token: string } }>(
    'POST',
    `/api/v1/namespaces/${kairshipNamespace}/serviceaccounts/${account}/token`,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 86_400 } },
  )
  return { url: host.credentials.url, ca: host.credentials.ca, token: status.token }
}

/** Puts a Karmada of the stack under management: an Instance of its name, with its administrator's kubeconfig. */
export async function adopt(
  host: ApiClient,
  { kubeconfigs }: Pick<ProvidedStack, 'kubeconfigs'>,
  name: string,
): Promise<void> {
  const kubeconfig = readFileSync(kubeconfigs[name] ?? '').toString('base64')
  await host.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: kairshipNamespace },
    data: { kubeconfig },
  })
  await host.apply({
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'Instance',
    metadata: { name },
    spec: { kubeconfigSecretRef: { name, namespace: kairshipNamespace } },
  })
}
