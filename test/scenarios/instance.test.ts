import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ControllerManager, startControllerManager } from '../../actors/controller-manager.js'
import { kubeConnector } from '../../actors/kube/connector.js'
import { INSTANCES, type Instance } from '../../manifests/instance.js'
import { INSTANCE_REGISTRATIONS } from '../../manifests/instance-registration.js'
import { INSTANCE_ROLE_BINDINGS } from '../../manifests/instance-role-binding.js'
import { KARMADAS } from '../../manifests/karmada.js'
import {
  type GroupVersionResource,
  type KubeList,
  type KubeObject,
  resourcePath,
} from '../../manifests/kube.js'
import { PEDIA_CLUSTERS, type PediaCluster } from '../../manifests/pedia-cluster.js'
import type { RawMessage } from '../../playground/apiserver/wire/exchange.js'
import { type Playground, startPlayground } from '../../playground/fleet.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { silent, unmetered } from '../silent.js'
import { eventually } from './support/eventually.js'

const connector = kubeConnector()
const SECRETS = { group: '', version: 'v1', resource: 'secrets' } as const
const NAMESPACE = 'karmada-instances'

let playground: Playground
let host: KubeApi
let kairship: ControllerManager

const startReplica = (identity: string, contend = true) =>
  startControllerManager({
    host,
    connector,
    identity,
    contend,
    log: silent,
    meter: unmetered,
    config: {
      namespace: 'kairship-system',
      leaseName: 'kairship-controller-manager',
      leaseDurationMs: 3_600_000,
      renewDeadlineMs: 3_000_000,
      retryPeriodMs: 500,
      probeIntervalMs: 1_000,
      statusIntervalMs: 500,
      indexCanaryIntervalMs: 500,
      indexCanaryPatienceMs: 2_000,
    },
  })

beforeAll(async () => {
  playground = await startPlayground({ instances: 1, membersPerInstance: 1, connector, log: silent })
  host = await connector.connect(playground.kubeconfigs.controllerManager)
  kairship = startReplica('first')
})
afterAll(async () => {
  await kairship?.stop()
  await host?.close()
  await playground?.close()
})

const admin = () => playground.host.local
const create = (resource: GroupVersionResource, object: object, namespace?: string) =>
  admin().request<KubeObject>({
    method: 'POST',
    path: resourcePath(resource, namespace === undefined ? {} : { namespace }),
    body: object,
  })
const remove = (resource: GroupVersionResource, at: { name: string; namespace?: string }) =>
  admin().request({ method: 'DELETE', path: resourcePath(resource, at) })
const list = async (resource: GroupVersionResource, labelSelector?: string): Promise<readonly KubeObject[]> =>
  (
    await admin().request<KubeList<KubeObject>>({
      method: 'GET',
      path: resourcePath(resource),
      query: { labelSelector },
    })
  ).items

const adopt = (name: string, secret = name) =>
  create(INSTANCES, {
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'Instance',
    metadata: { name },
    spec: { kubeconfigSecretRef: { namespace: NAMESPACE, name: secret } },
  })
const secretOf = (name: string, kubeconfig: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') },
})
/** The CR as everybody can read it. */
const read = (name: string) =>
  admin().request<Instance>({ method: 'GET', path: resourcePath(INSTANCES, { name }) })

const story = (name: string) => () => JSON.stringify(kairship.fleet.explain(name), null, 1)
const phase = (name: string, wanted: string) =>
  eventually(`${name} is ${wanted}`, async () => (await read(name)).status?.phase === wanted, {
    story: story(name),
  })
const condition = (name: string, type: string, reason: string) =>
  eventually(
    `${name} has ${type}=${reason}`,
    async () => (await read(name)).status?.conditions?.find(c => c.type === type && c.reason === reason),
    { story: story(name) },
  )
const gone = (name: string) =>
  eventually(
    `${name} is gone`,
    async () => !(await list(INSTANCES)).some(({ metadata }) => metadata.name === name),
    { story: story(name) },
  )

/** The name in the certificate that a client showed. */
function shownBy(raw: RawMessage): string {
  const socket = 'stream' in raw && raw.stream ? raw.stream.session?.socket : raw.socket
  return String((socket as TLSSocket | undefined)?.getPeerCertificate?.().subject?.CN ?? '')
}

const EU = 'eu-west'
const controlPlane = () => playground.karmadas.get(EU)!

describe('an adopted instance', () => {
  it('becomes ready, with versions, a virtual cluster, a registration and figures from its members', async () => {
    await phase(EU, 'Ready')
    const { status } = await eventually(
      'figures',
      async () => {
        const instance = await read(EU)
        return (instance.status?.summary?.nodeSummary.totalNum ?? 0) > 0 ? instance : undefined
      },
      { story: story(EU) },
    )
    expect(status).toMatchObject({
      endpoint: controlPlane().server.url,
      kubernetesVersion: expect.stringMatching(/^v1\./),
      karmadaVersion: expect.stringMatching(/^v1\.\d+\.\d+$/),
      summary: { clusterSummary: { totalNum: 1, readyNum: 1 } },
    })
    expect(status?.summary?.resourceSummary.allocatable).toHaveProperty('cpu')
    expect(await list(PEDIA_CLUSTERS)).toMatchObject([{ metadata: { name: `k-${EU}` } }])
    expect(await list(INSTANCE_REGISTRATIONS)).toMatchObject([{ metadata: { name: EU } }])
  })

  it('counts what is created in it', async () => {
    const before = (await read(EU)).status?.summary?.resourceTotalNum.configmaps ?? 0
    await controlPlane().server.local.request({
      method: 'POST',
      path: '/api/v1/namespaces/default/configmaps',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'counted' } },
    })
    await eventually(
      'one more ConfigMap',
      async () => {
        return (await read(EU)).status?.summary?.resourceTotalNum.configmaps === before + 1
      },
      { story: story(EU) },
    )
  })

  it('is degraded while its aggregated API is down, says which, and is ready when it is back', async () => {
    await controlPlane().setAggregatedApiAvailable(false)
    await phase(EU, 'Degraded')
    await condition(EU, 'AggregatedAPIHealthy', 'Unavailable')
    await controlPlane().setAggregatedApiAvailable(true)
    await phase(EU, 'Ready')
  })

  it('is degraded while its API server cannot be reached, and ready when it can', async () => {
    const undo = controlPlane().server.interrupt({ kind: 'refuseConnections' })
    await condition(EU, 'ControlPlaneHealthy', 'Unreachable')
    await phase(EU, 'Degraded')
    undo()
    await phase(EU, 'Ready')
  })

  it('gets a virtual cluster again when somebody deletes it', async () => {
    const [before] = await list(PEDIA_CLUSTERS)
    await remove(PEDIA_CLUSTERS, { name: `k-${EU}` })
    await eventually(
      'another PediaCluster',
      async () => {
        const [now] = await list(PEDIA_CLUSTERS)
        return now && now.metadata.uid !== before?.metadata.uid
      },
      { story: story(EU) },
    )
    await phase(EU, 'Ready')
  })

  it('turns role bindings into RBAC inside, and takes it away with them', async () => {
    const inside = async () => {
      const path = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'
      const query = { labelSelector: 'kairship.io/role-binding=team-a' }
      return (await controlPlane().server.local.request<KubeList<KubeObject>>({ method: 'GET', path, query }))
        .items
    }
    await create(INSTANCE_ROLE_BINDINGS, {
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'InstanceRoleBinding',
      metadata: { name: 'team-a' },
      spec: { instance: EU, role: 'Viewer', subjects: [{ kind: 'User', name: 'ada' }] },
    })
    await eventually('RBAC inside', async () => (await inside()).length === 2, { story: story(EU) })
    // What somebody deletes by hand comes back while all is well.
    const [first] = await inside()
    await controlPlane().server.local.request({
      method: 'DELETE',
      path: `/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${first!.metadata.name}`,
    })
    await eventually(
      'it again',
      async () => {
        const now = await inside()
        return now.length === 2 && now.every(({ metadata }) => metadata.uid !== first!.metadata.uid)
      },
      { story: story(EU) },
    )
    await remove(INSTANCE_ROLE_BINDINGS, { name: 'team-a' })
    await eventually('no RBAC inside', async () => (await inside()).length === 0, { story: story(EU) })
  })

  it('explains its way to ready, each step with its cause', async () => {
    // The CR trails the actor by up to a second, so its phase does not say that the actor has settled.
    await eventually('the actor is ready', () => kairship.fleet.get(EU)?.state === 'ready', {
      story: story(EU),
    })
    const { transitions, configuration } = kairship.fleet.explain(EU)!
    expect(configuration).toContain('managed.phase.ready')
    expect(transitions.map(({ to }) => to)).toEqual(expect.arrayContaining(['ready', 'degraded']))
    expect(transitions.filter(({ cause }) => cause === '')).toEqual([])
    expect(JSON.stringify(transitions)).not.toMatch(/client-key-data|PRIVATE KEY/)
  })

  it('asks with new credentials as soon as they are there, and loses no contact: only its index starts over', async () => {
    const { server } = controlPlane()
    const user = { name: 'kairship-rotated', groups: ['system:masters'] }
    const kubeconfig = await server.tokenKubeconfig(user)
    const [, token = ''] = /token: "?([^"\s]+)/.exec(kubeconfig) ?? []
    const asked: string[] = []
    const stopListening = server.interrupt({
      kind: 'answer',
      matches: ({ path, headers }) => {
        if (headers.authorization === `Bearer ${token}`) asked.push(path)
        return false
      },
      response: { code: 200, body: { text: '', contentType: 'text/plain' } },
    })
    const before = kairship.fleet.explain(EU)!.transitions.at(-1)!.time
    const since = () => kairship.fleet.explain(EU)!.transitions.filter(({ time }) => time > before)
    await admin().request({
      method: 'PATCH',
      path: resourcePath(SECRETS, { namespace: NAMESPACE, name: `${EU}-kubeconfig` }),
      contentType: 'application/merge-patch+json',
      body: { data: secretOf('', kubeconfig).data },
    })
    // Its identity is asked once of each new connection, its health always, its clusters are watched for the figures.
    const all = ['/api/v1/namespaces/kube-system', '/readyz', '/apis/cluster.karmada.io/v1alpha1/clusters']
    await eventually('the new token to be used', () => all.every(path => asked.includes(path)), {
      story: () => `${asked.join('\n')}\n${story(EU)()}`,
    })
    stopListening()
    // Container Management is given the new ones, too, and reads everything again over them.
    const path = resourcePath(PEDIA_CLUSTERS, { name: `k-${EU}` })
    await eventually('Container Management to have them', async () => {
      const { spec } = await admin().request<PediaCluster>({ method: 'GET', path })
      return spec.kubeconfig === Buffer.from(kubeconfig).toString('base64')
    })
    await eventually('its index to be complete', () => kairship.fleet.get(EU)?.state === 'ready', {
      story: story(EU),
    })
    // It may have been read again before anybody could see that it was not complete.
    const causes = since().flatMap(({ to, event }) => (to === 'degraded' ? [event] : []))
    expect(causes.filter(event => event !== 'virtualCluster.observed')).toEqual([])
    expect(since().map(({ event }) => event)).not.toContain('controlPlane.contactLost')
    await phase(EU, 'Ready')
    expect(JSON.stringify([await read(EU), kairship.fleet.explain(EU)])).not.toContain(token)
  })

  it('asks with a client certificate that was renewed, too', async () => {
    const { server } = controlPlane()
    const name = 'kairship-renewed'
    const kubeconfig = await server.kubeconfig({ name, groups: ['system:masters'] })
    expect(kubeconfig).toContain('client-certificate-data')
    const asked = new Set<string>()
    const stopListening = server.interrupt({
      kind: 'answer',
      matches: ({ path, raw }) => {
        if (raw && shownBy(raw) === name) asked.add(path)
        return false
      },
      response: { code: 200, body: { text: '', contentType: 'text/plain' } },
    })
    await admin().request({
      method: 'PATCH',
      path: resourcePath(SECRETS, { namespace: NAMESPACE, name: `${EU}-kubeconfig` }),
      contentType: 'application/merge-patch+json',
      body: { data: secretOf('', kubeconfig).data },
    })
    const all = ['/api/v1/namespaces/kube-system', '/readyz', '/apis/cluster.karmada.io/v1alpha1/clusters']
    await eventually('the new certificate to be used', () => all.every(path => asked.has(path)), {
      story: () => `${[...asked].join('\n')}\n${story(EU)()}`,
    })
    stopListening()
    await phase(EU, 'Ready')
    const [, key = 'never there'] = /client-key-data: (\S+)/.exec(kubeconfig) ?? []
    expect(JSON.stringify([await read(EU), kairship.fleet.explain(EU)])).not.toContain(key)
  })
})

describe('an instance that cannot work says precisely why, and heals when that is mended', () => {
  it('a missing Secret', async () => {
    await adopt('late')
    expect((await condition('late', 'CredentialsResolved', 'SecretNotFound')).message).toContain(
      `${NAMESPACE}/late`,
    )
    await remove(INSTANCES, { name: 'late' })
    await gone('late')
  })

  it('a kubeconfig that is none, and then one without the right key, and then a good one of a duplicate', async () => {
    await create(SECRETS, secretOf('twin', 'not a kubeconfig'), NAMESPACE)
    await adopt('twin')
    await condition('twin', 'CredentialsResolved', 'KubeconfigInvalid')
    const path = resourcePath(SECRETS, { namespace: NAMESPACE, name: 'twin' })
    const body = { data: { kubeconfig: null, other: 'eA==' } }
    const contentType = 'application/merge-patch+json'
    await admin().request({ method: 'PATCH', path, contentType, body })
    await condition('twin', 'CredentialsResolved', 'SecretKeyMissing')
    const kubeconfig = await controlPlane().server.kubeconfig({
      name: 'kairship',
      groups: ['system:masters'],
    })
    await admin().request({
      method: 'PATCH',
      path,
      contentType,
      body: { data: secretOf('', kubeconfig).data },
    })
    const { message } = await condition('twin', 'Accepted', 'DuplicateControlPlane')
    expect(message).toContain(EU)
    expect((await list(PEDIA_CLUSTERS)).map(({ metadata }) => metadata.name)).not.toContain('k-twin')
    expect((await read(EU)).status?.phase).toBe('Ready')
  })

  it.each([
    ['nothing listens there', 'https://127.0.0.1:1', 'Unreachable'],
    ['its certificate does not verify', undefined, 'CertificateInvalid'],
  ])('%s', async (_what, server, reason) => {
    const good = await controlPlane().server.kubeconfig({ name: 'kairship', groups: ['system:masters'] })
    const bad = server
      ? good.replaceAll(controlPlane().server.url, server)
      : good.replaceAll(
          Buffer.from(controlPlane().server.certificateAuthority).toString('base64'),
          Buffer.from(playground.host.certificateAuthority).toString('base64'),
        )
    const name = reason.toLowerCase()
    await create(SECRETS, secretOf(name, bad), NAMESPACE)
    await adopt(name)
    await condition(name, 'ControlPlaneHealthy', reason)
    await remove(INSTANCES, { name })
    await gone(name)
  })
})

describe('deletion', () => {
  it('of the elder leaves nothing outside, and the younger takes its place without a restart', async () => {
    await remove(INSTANCES, { name: EU })
    await gone(EU)
    const left = await Promise.all(
      [PEDIA_CLUSTERS, INSTANCE_REGISTRATIONS].map(type => list(type, `kairship.io/instance=${EU}`)),
    )
    expect(left.flat()).toEqual([])
    await phase('twin', 'Ready')
  })

  it('of the last leaves nothing at all', async () => {
    await remove(INSTANCES, { name: 'twin' })
    await gone('twin')
    expect(await list(PEDIA_CLUSTERS)).toEqual([])
    expect(await list(INSTANCE_REGISTRATIONS)).toEqual([])
  })
})

describe('an installed instance', () => {
  it('is brought up by karmada-operator, becomes ready, and is taken down again', async () => {
    await create(INSTANCES, {
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'Instance',
      metadata: { name: 'fresh' },
      spec: { install: {}, deletionPolicy: 'Delete' },
    })
    await phase('fresh', 'Ready')
    const { status } = await read('fresh')
    expect(status?.conditions?.find(({ type }) => type === 'Installed')).toMatchObject({ status: 'True' })
    expect(status?.karmadaVersion).toMatch(/^v1\./)
    await remove(INSTANCES, { name: 'fresh' })
    await gone('fresh')
    expect(await list(KARMADAS)).toEqual([])
  })
})

describe('a second replica', () => {
  it('is warm before it leads, takes over when the first stops, and writes nothing that is there already', async () => {
    const second = startReplica('second')
    try {
      await eventually('the second sees the fleet', () => second.fleet.synced)
      expect(second.fleet.leadership()).toMatchObject({ leading: false })
      await kairship.stop()
      await eventually('the second leads', () => second.fleet.leadership().leading)
    } finally {
      await second.stop()
    }
  })
})
