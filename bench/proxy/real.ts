import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PEOPLE } from '../../playground/fleet/host.js'
import { ApiClient } from '../../test/real/api-client.js'
import type { ProvidedStack } from '../../test/real/stack.js'
import { nginxProxying } from './nginx.js'
import { CORES } from './process.js'
import { reachable } from './reachable.js'
import type { Site } from './site.js'
import type { Way, Wrk } from './wrk.js'

const NAMESPACE = 'bench-proxy'
const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const OBJECT = `/api/v1/namespaces/${NAMESPACE}/configmaps/two`

/**
 * One object of 2 KB from a real kube-apiserver: directly, through nginx, `kubectl proxy` and us; and the same object of a
 * member through Karmada's own cluster proxy.
 */
export async function measureReal(options: {
  readonly suites: string
  readonly site: Site
  readonly wrk: Wrk
  readonly program: string
  readonly load: { readonly seconds: number; readonly rounds: number }
  readonly say: (line: string) => void
}) {
  const { site, wrk, program, load, say } = options
  const stack = JSON.parse(readFileSync(options.suites, 'utf8')) as ProvidedStack
  const [name = '', karmada] = Object.entries(stack.karmadas)[0] ?? []
  const [member = '', memberCredentials] = Object.entries(stack.members)[0] ?? []
  if (!karmada || !memberCredentials) throw new Error('the stack has no Karmada instance with a member')
  const kubeconfig = readFileSync(stack.kubeconfigs[name] ?? '', 'utf8')
  const authority = site.file('karmada.crt', karmada.ca)
  const token = await prepared(new ApiClient(karmada))
  await prepared(new ApiClient(memberCredentials))
  const host = await site.host({ adopt: { real: kubeconfig }, configMaps: 0 })
  const kairship = await site.kairship(host)
  const nginx = await nginxProxying({
    program,
    folder: join(site.folder, 'nginx-real'),
    tls: site.tls,
    core: CORES.proxy,
    upstream: karmada.url,
    upstreamAuthority: authority,
    token,
  })
  site.run(nginx.process)
  const ways: readonly Way[] = [
    { name: 'direct', url: karmada.url + OBJECT, token },
    { name: 'nginx', process: nginx.process, url: nginx.url + OBJECT },
    { name: 'kubectl proxy', ...under(await site.kubectlProxy(kubeconfig), OBJECT) },
    {
      name: 'Karmada’s cluster proxy',
      url: `${karmada.url}/apis/cluster.karmada.io/v1alpha1/clusters/${member}/proxy${OBJECT}`,
      token,
    },
    {
      name: 'kairship',
      ...under(kairship, `/apis/kairship.io/v1alpha1/instances/real/proxy${OBJECT}`),
      token: host.tokens.admin,
    },
  ]
  // What Karmada grants in its members, it grants after a while.
  for (const way of ways) await reachable(way, '', say)
  say('get of 2 KB from a real kube-apiserver, 32 connections')
  const rounds = await wrk.compare(ways, () => '', { ...load, connections: 32 }, say)
  const perSecond = (way: string): number => rounds[way]?.perSecond ?? Number.NaN
  const ratio = (way: string): number => Math.round((perSecond('kairship') / perSecond(way)) * 100) / 100
  return {
    ...rounds,
    kairshipToDirect: ratio('direct'),
    kairshipToKubectlProxy: ratio('kubectl proxy'),
    kairshipToClusterProxy: ratio('Karmada’s cluster proxy'),
  }
}

const under = <T extends { url: string }>(way: T, path: string): T => ({ ...way, url: way.url + path })

/** The object, an account that may read it, and the playground's administrator for those who come through us. @returns the account's token */
async function prepared(client: ApiClient): Promise<string> {
  const make = async (path: string, body: object): Promise<unknown> => {
    const { status, body: answer } = await client.send('POST', path, body)
    if (status !== 409 && status >= 300) throw new Error(`POST ${path}: ${status} ${JSON.stringify(answer)}`)
    return answer
  }
  await make('/api/v1/namespaces', { metadata: { name: NAMESPACE } })
  await make(`/api/v1/namespaces/${NAMESPACE}/configmaps`, {
    metadata: { name: 'two' },
    data: { text: 'x'.repeat(1_700) },
  })
  await make(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name: 'bench' } })
  await make(`${RBAC}/clusterrolebindings`, {
    metadata: { name: 'bench-proxy' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [
      { kind: 'User', name: PEOPLE.admin.name, apiGroup: 'rbac.authorization.k8s.io' },
      { kind: 'ServiceAccount', name: 'bench', namespace: NAMESPACE },
    ],
  })
  // Karmada lets its cluster proxy impersonate only whom a binding of this names, and an account is in groups too.
  await make(`${RBAC}/clusterroles`, {
    metadata: { name: 'bench-proxy-proxy' },
    rules: [{ apiGroups: ['cluster.karmada.io'], resources: ['clusters/proxy'], verbs: ['*'] }],
  })
  await make(`${RBAC}/clusterrolebindings`, {
    metadata: { name: 'bench-proxy-proxy' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'bench-proxy-proxy' },
    subjects: [
      { kind: 'ServiceAccount', name: 'bench', namespace: NAMESPACE },
      ...['system:serviceaccounts', `system:serviceaccounts:${NAMESPACE}`, 'system:authenticated'].map(
        name => ({ kind: 'Group', name, apiGroup: 'rbac.authorization.k8s.io' }),
      ),
    ],
  })
  const review = await make(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts/bench/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: { audiences: [], expirationSeconds: 3_600 },
  })
  return (review as { status: { token: string } }).status.token
}
