/** What `bench/index.ts` reads, in a process of its own: an API server with many Deployments, and a host that indexes it. */
import { kubeConnector } from '../actors/kube/connector.js'
import { type KubeObject, resourcePath } from '../manifests/kube.js'
import { type ApiServer, startApiServer } from '../playground/apiserver/server.js'
import { toBase64 } from '../playground/client/kubeconfig.js'
import { read } from '../playground/client/write.js'
import { startContainerManagement } from '../playground/container-management/container-management.js'
import { PEDIA_CLUSTERS, type PediaCluster } from '../playground/container-management/pedia-cluster.js'
import { silent } from '../test/silent.js'

/** Where to read, and as whom. */
export interface ReadEndpoint {
  readonly url: string
  readonly ca: string
  readonly token: string
  /** What paths of the source begin with here. */
  readonly prefix: string
}

/** What this process tells the bench. */
export type IndexHostAnswer =
  | { readonly kind: 'ready'; readonly source: ReadEndpoint; readonly index: ReadEndpoint }
  /** CPU of this process since its start, user and system. */
  | { readonly kind: 'cpu'; readonly milliseconds: number }
  | { readonly kind: 'written' }

/** What the bench asks of this process. */
export type IndexHostRequest =
  | { readonly kind: 'cpu' }
  /** Changes a Deployment at the source. */
  | { readonly kind: 'write'; readonly name: string }

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' } as const
const namespace = 'default'

/** About 2 KB with what the server adds; one of seven is in tier t3, one of five has 3 replicas. */
const deployment = (at: number): KubeObject => {
  const name = `d-${String(at).padStart(5, '0')}`
  const labels = { app: name, tier: `t${at % 7}` }
  const env = Array.from({ length: 8 }, (_, index) => ({ name: `SETTING_${index}`, value: `value ${index}` }))
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      replicas: at % 5,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'main', image: 'example.test/main:1', env }] },
      },
    },
  } as KubeObject
}

async function proxyTo(server: ApiServer, prefix: string): Promise<ReadEndpoint> {
  const token = await server.issueToken({ name: 'bench', groups: ['readers'] }, 86_400)
  return { url: server.url, ca: server.certificateAuthority, token, prefix }
}

/** RBAC is asked, as it is of everybody but an administrator. */
async function mayRead(server: ApiServer): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io'
  const post = (resource: string, body: object) =>
    server.local.request({ method: 'POST', path: `/apis/${apiGroup}/v1/${resource}`, body })
  await post('clusterroles', {
    metadata: { name: 'readers' },
    rules: [{ apiGroups: ['apps', 'clusterpedia.io'], resources: ['*'], verbs: ['get', 'list', 'watch'] }],
  })
  await post('clusterrolebindings', {
    metadata: { name: 'readers' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'readers' },
    subjects: [{ apiGroup, kind: 'Group', name: 'readers' }],
  })
}

const count = Number(process.argv[2])
const source = await startApiServer({ name: 'source' })
const host = await startApiServer({ name: 'host' })
await Promise.all([mayRead(source), mayRead(host)])
const path = resourcePath(DEPLOYMENTS, { namespace })
for (let at = 0; at < count; at++) await source.local.request({ method: 'POST', path, body: deployment(at) })

const management = await startContainerManagement({ host, connector: kubeConnector(), log: silent })
const kubeconfig = toBase64(await source.kubeconfig({ name: 'indexer', groups: ['system:masters'] }))
await host.local.request({
  method: 'POST',
  path: resourcePath(PEDIA_CLUSTERS),
  body: {
    apiVersion: 'cluster.clusterpedia.io/v1alpha2',
    kind: 'PediaCluster',
    metadata: { name: 'bench' },
    spec: { kubeconfig, syncResources: [{ group: 'apps', resources: ['deployments', 'replicasets'] }] },
  },
})
for (;;) {
  const { status } = (await read<PediaCluster>(host.local, PEDIA_CLUSTERS, { name: 'bench' })) ?? {}
  const [sync] = status?.syncResources?.[0]?.resources[0]?.syncConditions ?? []
  if (sync?.status === 'Syncing' && !sync.initialListPhase) break
  await new Promise(resolve => setTimeout(resolve, 50))
}

const tell = (answer: IndexHostAnswer): void => void process.send?.(answer)

async function answer(request: IndexHostRequest): Promise<void> {
  if (request.kind === 'cpu') {
    const { user, system } = process.cpuUsage()
    return tell({ kind: 'cpu', milliseconds: (user + system) / 1_000 })
  }
  await source.local.request({
    method: 'PATCH',
    path: `${path}/${request.name}`,
    contentType: 'application/merge-patch+json',
    body: { metadata: { annotations: { touched: String(Math.random()) } } },
  })
  tell({ kind: 'written' })
}
process.on('message', request => {
  answer(request as IndexHostRequest).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
    process.exit(1)
  })
})
process.once('disconnect', () => {
  void management
    .close()
    .then(() => Promise.all([host.close(), source.close()]))
    .then(() => process.exit(0))
})
const prefix = '/apis/clusterpedia.io/v1beta1/resources/clusters/bench'
tell({ kind: 'ready', source: await proxyTo(source, ''), index: await proxyTo(host, prefix) })
