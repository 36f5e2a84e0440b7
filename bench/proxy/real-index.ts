import { readFileSync } from 'node:fs'
import { ApiClient } from '../../test/real/api-client.js'
import { adopt, installKairship, kairshipNamespace } from '../../test/real/kairship.js'
import type { ProvidedStack } from '../../test/real/stack.js'
import { measureIndexRead } from './index-reads.js'
import type { Site } from './site.js'
import type { Round, Wrk } from './wrk.js'

const RBAC = 'rbac.authorization.k8s.io'
const ACCOUNT = 'bench-lists'
/** How many objects are written at once. */
const WRITERS = 16
/** Milliseconds between two lines about them. */
const TELLING_MS = 5_000

/** Lists of ConfigMaps of a real Karmada: from its kube-apiserver and from Clusterpedia, directly and through the proxy. */
export async function measureRealIndex(options: {
  readonly suites: string
  /** How many ConfigMaps, one list after the other. */
  readonly counts: readonly number[]
  readonly site: Site
  readonly wrk: Wrk
  readonly load: { readonly seconds: number; readonly rounds: number }
  readonly say: (line: string) => void
}): Promise<Record<string, Record<string, Round>>> {
  const { site, wrk, counts, load, say } = options
  const stack = JSON.parse(readFileSync(options.suites, 'utf8')) as ProvidedStack
  const [name = '', karmada] = Object.entries(stack.karmadas)[0] ?? []
  if (!karmada) throw new Error('the stack has no Karmada instance')
  const [host, instance] = [new ApiClient(stack.host), new ApiClient(karmada)]
  await installKairship(host)
  await instance.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: kairshipNamespace } })
  // Under the same name on both sides: the proxy says there who asks here.
  const tokens = { host: await administratorToken(host), karmada: await administratorToken(instance) }
  for (const count of counts) {
    say(`writing ${count} ConfigMaps`)
    await writeConfigMaps(instance, `lists-${count}`, { from: 0, step: 1, to: count }, say)
  }
  await adopt(host, stack, name)
  const kairship = await site.kairship({ kubeconfig: readFileSync(stack.kubeconfigs.host ?? '', 'utf8') })
  const ways = {
    name,
    karmada: { name: 'Karmada', url: karmada.url, token: tokens.karmada },
    host: { name: 'host', url: stack.host.url, token: tokens.host },
    proxy: {
      name: 'kairship',
      process: kairship.process,
      url: `${kairship.url}/apis/kairship.io/v1alpha1/instances/${name}/proxy`,
      token: tokens.host,
    },
  }
  const found: Record<string, Record<string, Round>> = {}
  for (const count of counts) {
    const path = `/api/v1/namespaces/lists-${count}/configmaps`
    const rounds = await measureIndexRead(ways, path, { wrk, ...load, connections: 1 }, say)
    found[`list of ${count}`] = rounds
    say(JSON.stringify(rounds))
  }
  await Promise.all([host.close(), instance.close()])
  return found
}

/** An account that may do everything there, and its token. */
export async function administratorToken(client: ApiClient): Promise<string> {
  const metadata = { name: ACCOUNT, namespace: kairshipNamespace }
  await client.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata })
  await client.apply({
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: ACCOUNT },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [
      { kind: 'ServiceAccount', ...metadata },
      { kind: 'User', name: `system:serviceaccount:${kairshipNamespace}:${ACCOUNT}`, apiGroup: RBAC },
    ],
  })
  const path = `/api/v1/namespaces/${kairshipNamespace}/serviceaccounts/${ACCOUNT}/token`
  const asked = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 7_200 },
  }
  return (await client.must<{ status: { token: string } }>('POST', path, asked)).status.token
}

/** Makes a namespace hold ConfigMaps `c-<number>` of 1 KB, of which one of seven has the label `tier=t3`. Those that are there are left. */
export async function writeConfigMaps(
  client: ApiClient,
  namespace: string,
  { from, step, to }: { readonly from: number; readonly step: number; readonly to: number },
  say: (line: string) => void,
): Promise<void> {
  await client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  let next = from
  const telling = setInterval(() => say(`${namespace}: ConfigMap ${next} of ${to}`), TELLING_MS)
  const writer = async (): Promise<void> => {
    while (next < to) {
      const index = next
      next += step
      const body = {
        ...{ apiVersion: 'v1', kind: 'ConfigMap' },
        metadata: { name: `c-${String(index).padStart(5, '0')}`, labels: { tier: `t${index % 7}` } },
        data: { text: 'x'.repeat(800) },
      }
      const { status } = await client.send('POST', path, body)
      if (status !== 201 && status !== 409) throw new Error(`POST ${path}: ${status}`)
    }
  }
  try {
    await Promise.all(Array.from({ length: WRITERS }, writer))
  } finally {
    clearInterval(telling)
  }
}
