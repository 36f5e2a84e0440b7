import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { ApiClient, readManifests } from './api-client.js'
import { moduleFolder, programPath } from './build.js'
import { established, namespace, registerAggregatedApi } from './karmada.js'
import type { ControlPlane } from './kube-control-plane.js'
import { freePort } from './ports.js'
import type { Postgres } from './postgres.js'
import { answersHttp, eventually } from './probe.js'
import type { Site } from './site.js'

const systemNamespace = 'clusterpedia-system'

/** Starts Clusterpedia on a host control plane: its CRDs, its aggregated API and the manager that fills its store. */
export async function startClusterpedia(site: Site, host: ControlPlane, store: Postgres): Promise<void> {
  await host.client.apply(namespace(systemNamespace))
  await applyCrds(host)
  const storage = site.file(
    'clusterpedia/storage.yaml',
    stringify({
      type: 'postgres',
      host: store.host,
      port: store.port,
      user: store.user,
      password: 'unused-with-trust',
      database: store.database,
    }),
  )
  // One after the other: both migrate the table when they start.
  await startApiServer(site, host, storage)
  const metrics = await freePort()
  await site.run({
    name: 'clusterpedia-clustersynchro-manager',
    command: programPath('clusterpedia-clustersynchro-manager'),
    args: [
      `--kubeconfig=${host.kubeconfig}`,
      `--storage-config=${storage}`,
      '--leader-elect=false',
      '--feature-gates=PruneManagedFields=true,PruneLastAppliedConfiguration=true',
      '--metrics-host=127.0.0.1',
      `--metrics-port=${metrics}`,
    ],
    isReady: () => answersHttp(`http://127.0.0.1:${metrics}/metrics`),
  })
}

async function applyCrds({ client }: ControlPlane): Promise<void> {
  const folder = join(
    moduleFolder('clusterpedia', 'github.com/clusterpedia-io/clusterpedia'),
    'kustomize/crds',
  )
  const definitions = readdirSync(folder)
    .filter(file => file !== 'kustomization.yaml')
    .flatMap(file => readManifests(join(folder, file)))
  await Promise.all(definitions.map(crd => client.apply(crd)))
  for (const crd of definitions) await established(client, crd)
}

async function startApiServer(site: Site, host: ControlPlane, storage: string): Promise<void> {
  const port = await freePort()
  const service = 'clusterpedia-apiserver'
  const serving = await host.servingFiles(service, [`${service}.${systemNamespace}.svc`])
  const client = new ApiClient({ ...host.administrator, url: `https://127.0.0.1:${port}` })
  await site.run({
    name: service,
    command: programPath(service),
    args: [
      `--kubeconfig=${host.kubeconfig}`,
      `--authentication-kubeconfig=${host.kubeconfig}`,
      `--authorization-kubeconfig=${host.kubeconfig}`,
      `--storage-config=${storage}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--tls-cert-file=${serving.certificate}`,
      `--tls-private-key-file=${serving.key}`,
    ],
    isReady: () => client.answers('/readyz'),
  })
  await registerAggregatedApi(host, {
    group: 'clusterpedia.io',
    version: 'v1beta1',
    service,
    namespace: systemNamespace,
    port,
  })
  await eventually(
    () => host.client.answers('/apis/clusterpedia.io/v1beta1'),
    'Clusterpedia served by the host',
  )
}
