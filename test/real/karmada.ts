import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ApiClient, type ApiObject, readManifests } from './api-client.js'
import { moduleFolder, programPath } from './build.js'
import { examinedFlags, type KarmadaFlags, PLAIN_FLAGS } from './karmada-flags.js'
import { type ControlPlane, startControlPlane } from './kube-control-plane.js'
import { freePort } from './ports.js'
import { answersHttp, eventually } from './probe.js'
import type { Site } from './site.js'

/** The controllers that Karmada's own manifests give the kube-controller-manager of an instance. */
const controllers = [
  'namespace-controller',
  'garbage-collector-controller',
  'serviceaccount-token-controller',
  'ttl-after-finished-controller',
  'bootstrap-signer-controller',
  'token-cleaner-controller',
  'certificatesigningrequest-cleaner-controller',
  'certificatesigningrequest-signing-controller',
  'clusterrole-aggregation-controller',
]

/**
 * Starts a whole Karmada instance: API server, aggregated API server, webhook, controllers and scheduler.
 * @param examined as its own end-to-end suite wants it
 */
export async function startKarmada(
  site: Site,
  name: string,
  etcd: string,
  examined = false,
): Promise<ControlPlane> {
  const plane = await startControlPlane(site, {
    name,
    etcd,
    controllers,
    disabledAdmission: ['StorageObjectInUseProtection', 'ServiceAccount'],
    administrator: 'system:admin',
    onlyTls13: true,
  })
  await plane.client.apply(namespace('karmada-system'))
  await plane.client.apply(namespace('karmada-cluster'))
  // The webhook first: the converted types are not served while it does not answer.
  const flags = examined ? examinedFlags(plane) : PLAIN_FLAGS
  const webhookUrl = await startWebhook(site, plane, flags.webhook)
  await applyManifests(plane, webhookUrl)
  await startAggregatedApiServer(site, plane, etcd)
  await Promise.all([startControllers(site, plane, flags.controllers), startScheduler(site, plane, flags)])
  return plane
}

async function applyManifests({ client, ca }: ControlPlane, webhookUrl: string): Promise<void> {
  const source = moduleFolder('karmada', 'github.com/karmada-io/karmada')
  const caBundle = Buffer.from(ca.certificate).toString('base64')
  const crds = join(source, 'charts/karmada/_crds/bases')
  const files = readdirSync(crds).flatMap(group =>
    readdirSync(join(crds, group)).map(file => join(crds, group, file)),
  )
  const conversion = {
    strategy: 'Webhook',
    webhook: { clientConfig: { url: `${webhookUrl}/convert`, caBundle }, conversionReviewVersions: ['v1'] },
  }
  const converted = ['resourcebindings.work.karmada.io', 'clusterresourcebindings.work.karmada.io']
  const definitions = files
    .flatMap(file => readManifests(file))
    .map(crd =>
      converted.includes(crd.metadata.name) ? { ...crd, spec: { ...(crd.spec as object), conversion } } : crd,
    )
  await Promise.all(definitions.map(crd => client.apply(crd)))
  for (const crd of definitions) await established(client, crd)

  const deploy = join(source, 'artifacts/deploy')
  const shipped = [
    ...readManifests(join(deploy, 'webhook-configuration.yaml'), { caBundle }).map(configuration =>
      withWebhookUrl(configuration, webhookUrl),
    ),
    ...readManifests(join(deploy, 'cluster-proxy-admin-rbac.yaml')),
    ...readManifests(join(deploy, 'admin-clusterrole-aggregation.yaml')),
  ]
  await Promise.all(shipped.map(object => client.apply(object)))
}

/** Points the webhooks of a shipped configuration at the webhook that runs on loopback. */
function withWebhookUrl(configuration: ApiObject, webhookUrl: string): ApiObject {
  type Webhook = { clientConfig: { url: string } }
  const webhooks = (configuration.webhooks as Webhook[]).map(webhook => ({
    ...webhook,
    clientConfig: { ...webhook.clientConfig, url: webhookUrl + new URL(webhook.clientConfig.url).pathname },
  }))
  return { ...configuration, webhooks }
}

/** Waits until a custom resource is served. */
export async function established(client: ApiClient, crd: ApiObject): Promise<void> {
  const { group, names, versions } = crd.spec as {
    group: string
    names: { plural: string }
    versions: { name: string; served: boolean }[]
  }
  const version = versions.find(version => version.served)?.name
  await eventually(
    () => client.answers(`/apis/${group}/${version}/${names.plural}?limit=1`),
    `${names.plural} served`,
  )
}

/** A namespace object. */
export function namespace(name: string): ApiObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
}

/**
 * Lets an aggregated API be reached on loopback: a Service of type ExternalName `localhost`, and the APIService for it.
 */
export async function registerAggregatedApi(
  { client, ca }: ControlPlane,
  api: { group: string; version: string; service: string; namespace: string; port: number },
): Promise<void> {
  await client.apply({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: api.service, namespace: api.namespace },
    spec: {
      type: 'ExternalName',
      externalName: 'localhost',
      ports: [{ name: 'https', port: api.port, protocol: 'TCP' }],
    },
  })
  await client.apply({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${api.version}.${api.group}` },
    spec: {
      group: api.group,
      version: api.version,
      groupPriorityMinimum: 2000,
      versionPriority: 10,
      caBundle: Buffer.from(ca.certificate).toString('base64'),
      service: { name: api.service, namespace: api.namespace, port: api.port },
    },
  })
}

async function startAggregatedApiServer(site: Site, plane: ControlPlane, etcd: string): Promise<void> {
  const port = await freePort()
  const service = 'karmada-aggregated-apiserver'
  const serving = await plane.servingFiles(service, [`${service}.karmada-system.svc`])
  const client = new ApiClient({ ...plane.administrator, url: `https://127.0.0.1:${port}` })
  await site.run({
    name: `${plane.name}-aggregated-apiserver`,
    command: programPath('karmada-aggregated-apiserver'),
    args: [
      `--kubeconfig=${plane.kubeconfig}`,
      `--authentication-kubeconfig=${plane.kubeconfig}`,
      `--authorization-kubeconfig=${plane.kubeconfig}`,
      `--etcd-servers=${etcd}`,
      `--etcd-prefix=/${plane.name}-aggregated`,
      `--tls-cert-file=${serving.certificate}`,
      `--tls-private-key-file=${serving.key}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
    ],
    isReady: () => client.answers('/readyz'),
  })
  await registerAggregatedApi(plane, {
    group: 'cluster.karmada.io',
    version: 'v1alpha1',
    service,
    namespace: 'karmada-system',
    port,
  })
  await eventually(
    () => plane.client.answers('/apis/cluster.karmada.io/v1alpha1/clusters'),
    `${plane.name}: clusters served`,
  )
}

/** Starts the admission and conversion webhook and returns its URL. */
async function startWebhook(site: Site, plane: ControlPlane, flags: readonly string[]): Promise<string> {
  const port = await freePort()
  const url = `https://127.0.0.1:${port}`
  const client = new ApiClient({ ...plane.administrator, url })
  const serving = await plane.servingFiles('karmada-webhook', [])
  await site.run({
    name: `${plane.name}-webhook`,
    command: programPath('karmada-webhook'),
    args: [
      `--kubeconfig=${plane.kubeconfig}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${serving.certificate.replace(/\/tls\.crt$/, '')}`,
      '--metrics-bind-address=0',
      '--health-probe-bind-address=0',
      ...flags,
    ],
    isReady: () => client.answers('/readyz/'),
  })
  return url
}

async function startControllers(site: Site, plane: ControlPlane, flags: readonly string[]): Promise<void> {
  const health = await freePort()
  await site.run({
    name: `${plane.name}-controller-manager`,
    command: programPath('karmada-controller-manager'),
    args: [
      `--kubeconfig=${plane.kubeconfig}`,
      '--leader-elect=false',
      '--cluster-status-update-frequency=10s',
      '--metrics-bind-address=0',
      `--health-probe-bind-address=127.0.0.1:${health}`,
      ...flags,
    ],
    isReady: () => answersHttp(`http://127.0.0.1:${health}/healthz`),
  })
}

async function startScheduler(site: Site, plane: ControlPlane, flags: KarmadaFlags): Promise<void> {
  const health = await freePort()
  await site.run({
    name: `${plane.name}-scheduler`,
    command: programPath(flags.schedulerProgram),
    args: [
      `--kubeconfig=${plane.kubeconfig}`,
      '--leader-elect=false',
      '--metrics-bind-address=0',
      `--health-probe-bind-address=127.0.0.1:${health}`,
      ...flags.scheduler,
    ],
    isReady: () => answersHttp(`http://127.0.0.1:${health}/healthz`),
  })
}
