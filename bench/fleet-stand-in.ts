/**
 * In place of the playground of `bench/fleet.ts`: a host and as many control planes as asked for that cost so little CPU that the limits
 * which show are Kairship's. Reads of control planes are answered with what one embedded control plane with its members has answered,
 * a PediaCluster gets the status that its Container Management wrote, and there is nothing behind either: docs in bench/README.md.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { kubeConnector } from '../actors/kube/connector.js'
import { INSTANCES, type Instance } from '../manifests/instance.js'
import { INSTANCE_REGISTRATIONS, type InstanceRegistration } from '../manifests/instance-registration.js'
import { INSTANCE_ROLE_BINDINGS } from '../manifests/instance-role-binding.js'
import { type GroupVersionResource, resourcePath } from '../manifests/kube.js'
import { INSTANCE_LABEL } from '../manifests/names.js'
import {
  indexPath,
  PEDIA_CLUSTERS,
  type PediaCluster,
  renderPediaCluster,
  syncVerdict,
} from '../manifests/pedia-cluster.js'
import { createAuthority } from '../playground/apiserver/access/certificates.js'
import { kubeconfigFor } from '../playground/apiserver/access/kubeconfig.js'
import { toBase64 } from '../playground/client/kubeconfig.js'
import { startPlayground } from '../playground/fleet/fleet.js'
import { INSTANCE_NAMESPACE } from '../playground/fleet/instances.js'
import { GRANTS, instanceName } from '../playground/fleet/names.js'
import { silent } from '../test/silent.js'
import { tell } from './fleet-messages.js'
import { obey } from './fleet-requests.js'
import type { ControlPlanesOrder, ControlPlanesUp } from './stand-in/control-planes.js'
import { listen } from './stand-in/listener.js'
import { type Stored, StoredObjects } from './stand-in/stored-objects.js'

/** Two replicas connect to each control plane, and a process may often have 20,000 open files. */
const PLANES_IN_A_PROCESS = 5_000
const SECRETS = { group: '', version: 'v1', resource: 'secrets' } as const
/** Later than every version of a control plane: what was written there is always in the index. */
const LATEST = '900000000000000'

/** So many Instances, the oldest of all, lead to a port that takes connections and never says a word. */
const hanging = Array.from({ length: Number(process.argv[4] ?? 0) }, (_, index) => `hangs-${index}`)
const names = Array.from({ length: Number(process.argv[2]) }, (_, index) => instanceName(index))
const source = await startPlayground({
  instances: 1,
  membersPerInstance: Number(process.argv[3]),
  withoutSockets: true,
  connector: kubeConnector(),
  log: silent,
})
const [karmada] = source.karmadas.values()
if (!karmada) throw new Error('the playground has no instance to record')
const recorded = await karmada.server.kubeconfig({ name: 'kairship', groups: ['system:masters'] })
const indexed = await recordedIndex()

const children: ChildProcess[] = []
const kubeconfigs = new Map<string, string>()
for (let from = 0; from < names.length; from += PLANES_IN_A_PROCESS) {
  const child = fork(new URL('./stand-in/control-planes.js', import.meta.url), { execArgv: [] })
  children.push(child)
  child.send({ names: names.slice(from, from + PLANES_IN_A_PROCESS), recorded } satisfies ControlPlanesOrder)
  const [up] = (await once(child, 'message')) as [ControlPlanesUp]
  for (const [name, kubeconfig] of Object.entries(up.kubeconfigs)) kubeconfigs.set(name, kubeconfig)
}

if (hanging.length > 0) {
  const silentServer = createServer().listen(0, '127.0.0.1')
  await once(silentServer, 'listening')
  const { port } = silentServer.address() as AddressInfo
  const [kubeconfig = ''] = kubeconfigs.values()
  for (const name of hanging)
    kubeconfigs.set(
      name,
      kubeconfig.replace(/https:\/\/127\.0\.0\.1:\d+\/[^\s"]+/, `https://127.0.0.1:${port}/${name}`),
    )
}

const objects = new StoredObjects()
const authority = createAuthority('stand-in host')
const canary = JSON.stringify({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'canary', resourceVersion: LATEST },
})
const inIndex = indexPath('')
/** Every token is that of one caller, who may do everything: `bench/beside.ts` asks as one. */
const reviews: ReadonlyMap<string, object> = new Map<string, object>([
  [
    '/apis/authentication.k8s.io/v1/tokenreviews',
    { authenticated: true, user: { username: 'bench', groups: ['bench'] } },
  ],
  ['/apis/authorization.k8s.io/v1/subjectaccessreviews', { allowed: true }],
])
const port = await listen(authority, request => {
  const status = request.method === 'POST' ? reviews.get(request.path) : undefined
  if (status) return { code: 201, text: JSON.stringify({ ...JSON.parse(request.body), status }) }
  return request.path.startsWith(inIndex) ? { code: 200, text: canary } : objects.answer(request)
})
const credential = { clientCertificate: authority.issueClient({ name: 'kairship', groups: [] }) }
const server = `https://127.0.0.1:${port}`
const hostConfig = kubeconfigFor(
  { name: 'host', server, certificateAuthority: authority.certificate },
  'kairship',
  credential,
)

const collection = (type: GroupVersionResource): string => resourcePath(type)
for (const [name, kubeconfig] of kubeconfigs)
  objects.create(collection(SECRETS), {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: INSTANCE_NAMESPACE, name: `${name}-kubeconfig` },
    data: { kubeconfig: toBase64(kubeconfig) },
  } as Stored)

/** Writes the status that follows from a new object a turn later, as a controller would. */
const whenMade = (type: GroupVersionResource, act: (object: Stored) => void): void => {
  objects.follow(collection(type), (change, object) => {
    if (change === 'ADDED') setImmediate(act, object)
  })
}
whenMade(PEDIA_CLUSTERS, cluster =>
  objects.update(collection(PEDIA_CLUSTERS), cluster, {
    ...cluster,
    metadata: { ...cluster.metadata, annotations: { ...indexed.metadata.annotations } },
    status: indexed.status,
  } as Stored),
)
whenMade(INSTANCE_REGISTRATIONS, registration => {
  const { generation } = registration.metadata
  const accepted: NonNullable<InstanceRegistration['status']> = {
    conditions: [
      {
        type: 'Registered',
        status: 'True',
        reason: 'Accepted',
        message: 'known to Global Management',
        lastTransitionTime: new Date().toISOString(),
        ...(generation !== undefined && { observedGeneration: generation }),
      },
    ],
  }
  objects.update(collection(INSTANCE_REGISTRATIONS), registration, {
    ...registration,
    status: accepted,
  } as Stored)
  const instance = registration.metadata.name
  for (const { key, role, subjects } of GRANTS)
    objects.create(collection(INSTANCE_ROLE_BINDINGS), {
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'InstanceRoleBinding',
      metadata: { name: `${instance}-${key}`, labels: { [INSTANCE_LABEL]: instance } },
      spec: { instance, role, subjects },
    } as Stored)
})
// Global Management takes its bindings back when a registration goes.
objects.follow(collection(INSTANCE_REGISTRATIONS), (change, { metadata }) => {
  if (change !== 'DELETED') return
  for (const { key } of GRANTS)
    objects.answer({
      method: 'DELETE',
      path: resourcePath(INSTANCE_ROLE_BINDINGS, { name: `${metadata.name}-${key}` }),
      query: new URLSearchParams(),
      accept: '',
      contentType: '',
      body: '',
    })
})

obey({
  host: await kubeConnector().connect(hostConfig),
  hanging: hanging.length,
  items: [...hanging, ...names].map(
    (name): Instance => ({
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'Instance',
      metadata: { name },
      spec: {
        alias: `Karmada ${name}`,
        kubeconfigSecretRef: { namespace: INSTANCE_NAMESPACE, name: `${name}-kubeconfig` },
      },
    }),
  ),
  async close() {
    for (const child of children) child.kill()
    await source.close()
    process.exit(0)
  },
})
tell({ kind: 'up', kubeconfig: hostConfig })

/** The PediaCluster of the recorded control plane as its Container Management has completed it. */
async function recordedIndex(): Promise<PediaCluster> {
  const { local } = source.host
  const [instance] = (
    await local.request<{ items: Instance[] }>({ method: 'GET', path: resourcePath(INSTANCES) })
  ).items
  if (!instance) throw new Error('the playground has no Instance to record')
  const wanted = renderPediaCluster(instance, recorded)
  const path = resourcePath(PEDIA_CLUSTERS)
  const { name } = wanted.metadata
  const stopped = new AbortController()
  const changes = local.watch({
    path,
    query: { fieldSelector: `metadata.name=${name}` },
    signal: stopped.signal,
  })
  await local.request({ method: 'POST', path, body: wanted })
  for await (const { object } of changes)
    if (syncVerdict(object as PediaCluster)?.holds) return object as PediaCluster
  throw new Error('the recorded control plane was not indexed')
}
