import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ApiClient,
  type ApiCredentials,
  type ApiObject,
  kubeconfigText,
  readManifests,
} from './api-client.js'
import { becomesAllowed } from './becomes-allowed.js'
import { EngineProcess } from './engine-process.js'
import { established } from './karmada.js'
import { freePort } from './ports.js'
import { answersHttp } from './probe.js'
import { repositoryFolder } from './repository.js'
import type { ProvidedStack } from './stack.js'

/** Where Kairship keeps its lease and secrets on the host. */
export const kairshipNamespace = 'kairship-system'

/**
 * Applies Kairship's own CRDs and RBAC, but not its Deployments: the suites run the program themselves. Done when the types are
 * served and the roles in force: API server and authorizer learn of both by watching.
 */
export async function installKairship(host: ApiClient): Promise<void> {
  const manifests = join(repositoryFolder, 'manifests')
  const crds = readFolder(join(manifests, 'crds'))
  for (const crd of crds) await host.apply(crd)
  const install = readFolder(join(manifests, 'install')).filter(
    ({ kind }) => kind !== 'Deployment' && kind !== 'Service',
  )
  for (const object of install) await host.apply(object)
  for (const crd of crds) await established(host, crd)
  for (const binding of install.filter(({ kind }) => kind.endsWith('RoleBinding')))
    await inForce(host, binding as Binding, install)
}

type Binding = ApiObject & {
  readonly roleRef: { readonly kind: string; readonly name: string }
  readonly subjects: readonly { readonly namespace: string; readonly name: string }[]
}
interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

/** Waits until the first thing that each rule of a binding's role allows is allowed to each of its accounts. */
async function inForce(host: ApiClient, binding: Binding, install: readonly ApiObject[]): Promise<void> {
  const { roleRef, subjects, metadata } = binding
  const role = install.find(({ kind, metadata }) => kind === roleRef.kind && metadata.name === roleRef.name)
  for (const { namespace, name } of subjects)
    for (const { apiGroups, resources, resourceNames = [], verbs } of (role?.rules ?? []) as Rule[]) {
      const [resource, subresource] = (resources[0] ?? '').split('/')
      const asked = { group: apiGroups[0], resource, subresource, verb: verbs[0], name: resourceNames[0] }
      await becomesAllowed(
        host,
        { user: `system:serviceaccount:${namespace}:${name}` },
        { ...asked, namespace: metadata.namespace },
      )
    }
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

/** Credentials of one of Kairship's own accounts on the host, for a day. */
export async function accountCredentials(host: ApiClient, account: string): Promise<ApiCredentials> {
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
