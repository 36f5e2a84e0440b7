import type { TLSSocket } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { INSTANCES } from '../../manifests/instance.js'
import { INSTANCE_REGISTRATIONS } from '../../manifests/instance-registration.js'
import { INSTANCE_ROLE_BINDINGS } from '../../manifests/instance-role-binding.js'
import { KARMADAS } from '../../manifests/karmada.js'
import { type KubeList, type KubeObject, resourcePath } from '../../manifests/kube.js'
import { PEDIA_CLUSTERS, type PediaCluster } from '../../manifests/pedia-cluster.js'
import type { RawMessage } from '../../playground/apiserver/wire/exchange.js'
import { eventually } from './support/eventually.js'
import { EU, NAMESPACE, OneInstance, SECRETS, secretOf } from './support/one-instance.js'

const one = new OneInstance()

/** The name in the certificate that a client showed. */
function shownBy(raw: RawMessage): string {
  const socket = 'stream' in raw && raw.stream ? raw.stream.session?.socket : raw.socket
  return String((socket as TLSSocket | undefined)?.getPeerCertificate?.().subject?.CN ?? '')
}

describe('an adopted instance', () => {
  it('becomes ready, with versions, a virtual cluster, a registration and statistics of its members', async () => {
    await one.phase(EU, 'Ready')
    const { status } = await eventually(
      'figures',
      async () => {
        const instance = await one.read(EU)
        return (instance.status?.summary?.nodeSummary.totalNum ?? 0) > 0 ? instance : undefined
      },
      { story: one.story(EU) },
    )
    expect(status).toMatchObject({
      endpoint: one.controlPlane.server.url,
      kubernetesVersion: expect.stringMatching(/^v1\./),
      karmadaVersion: expect.stringMatching(/^v1\.\d+\.\d+$/),
      summary: { clusterSummary: { totalNum: 1, readyNum: 1 } },
    })
    expect(status?.summary?.resourceSummary.allocatable).toHaveProperty('cpu')
    expect(await one.list(PEDIA_CLUSTERS)).toMatchObject([{ metadata: { name: `k-${EU}` } }])
    expect(await one.list(INSTANCE_REGISTRATIONS)).toMatchObject([{ metadata: { name: EU } }])
  })

  it('counts objects that are created in it', async () => {
    const before = (await one.read(EU)).status?.summary?.resourceTotalNum.configmaps ?? 0
    await one.controlPlane.server.local.request({
      method: 'POST',
      path: '/api/v1/namespaces/default/configmaps',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'counted' } },
    })
    await eventually(
      'one more ConfigMap',
      async () => {
        return (await one.read(EU)).status?.summary?.resourceTotalNum.configmaps === before + 1
      },
      { story: one.story(EU) },
    )
  })

  it('is degraded while its aggregated API is down, names it, and is ready after that', async () => {
    await one.controlPlane.setAggregatedApiAvailable(false)
    await one.phase(EU, 'Degraded')
    await one.condition(EU, 'AggregatedAPIHealthy', 'Unavailable')
    await one.controlPlane.setAggregatedApiAvailable(true)
    await one.phase(EU, 'Ready')
  })

  it('gets a virtual cluster again when it is deleted', async () => {
    const [before] = await one.list(PEDIA_CLUSTERS)
    await one.remove(PEDIA_CLUSTERS, { name: `k-${EU}` })
    await eventually(
      'another PediaCluster',
      async () => {
        const [now] = await one.list(PEDIA_CLUSTERS)
        return now && now.metadata.uid !== before?.metadata.uid
      },
      { story: one.story(EU) },
    )
    await one.phase(EU, 'Ready')
  })

  it('gets RBAC inside from role bindings, and loses it with them', async () => {
    const inside = async () => {
      const path = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'
      const query = { labelSelector: 'kairship.io/role-binding=team-a' }
      return (
        await one.controlPlane.server.local.request<KubeList<KubeObject>>({ method: 'GET', path, query })
      ).items
    }
    await one.create(INSTANCE_ROLE_BINDINGS, {
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'InstanceRoleBinding',
      metadata: { name: 'team-a' },
      spec: { instance: EU, role: 'Viewer', subjects: [{ kind: 'User', name: 'ada' }] },
    })
    await eventually('RBAC inside', async () => (await inside()).length === 2, { story: one.story(EU) })
    // What somebody deletes by hand comes back while all is well.
    const [first] = await inside()
    await one.controlPlane.server.local.request({
      method: 'DELETE',
      path: `/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${first!.metadata.name}`,
    })
    await eventually(
      'it again',
      async () => {
        const now = await inside()
        return now.length === 2 && now.every(({ metadata }) => metadata.uid !== first!.metadata.uid)
      },
      { story: one.story(EU) },
    )
    await one.remove(INSTANCE_ROLE_BINDINGS, { name: 'team-a' })
    await eventually('no RBAC inside', async () => (await inside()).length === 0, { story: one.story(EU) })
  })

  it('explains its transitions to ready, each with its cause', async () => {
    // The CR trails the actor by up to a second, so its phase does not say that the actor has settled.
    await eventually('the actor is ready', () => one.kairship.fleet.get(EU)?.state === 'ready', {
      story: one.story(EU),
    })
    const { transitions, configuration } = one.kairship.fleet.explain(EU)!
    expect(configuration).toContain('managed.phase.ready')
    expect(transitions.map(({ to }) => to)).toEqual(expect.arrayContaining(['ready', 'degraded']))
    expect(transitions.filter(({ cause }) => cause === '')).toEqual([])
    expect(JSON.stringify(transitions)).not.toMatch(/client-key-data|PRIVATE KEY/)
  })

  it('uses new credentials at once, and keeps contact: only its index starts over', async () => {
    const { server } = one.controlPlane
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
    const before = one.kairship.fleet.explain(EU)!.transitions.at(-1)!.time
    const since = () => one.kairship.fleet.explain(EU)!.transitions.filter(({ time }) => time > before)
    await one.patchSecret(`${EU}-kubeconfig`, kubeconfig)
    // Its identity is asked once of each new connection, its health always, its clusters are watched for the figures.
    const all = ['/api/v1/namespaces/kube-system', '/readyz', '/apis/cluster.karmada.io/v1alpha1/clusters']
    await eventually('the new token to be used', () => all.every(path => asked.includes(path)), {
      story: () => `${asked.join('\n')}\n${one.story(EU)()}`,
    })
    stopListening()
    // Container Management is given the new ones, too, and reads everything again over them.
    const path = resourcePath(PEDIA_CLUSTERS, { name: `k-${EU}` })
    await eventually('Container Management to have them', async () => {
      const { spec } = await one.admin.request<PediaCluster>({ method: 'GET', path })
      return spec.kubeconfig === Buffer.from(kubeconfig).toString('base64')
    })
    await eventually('its index to be complete', () => one.kairship.fleet.get(EU)?.state === 'ready', {
      story: one.story(EU),
    })
    // It may have been read again before anybody could see that it was not complete.
    const causes = since().flatMap(({ to, event }) => (to === 'degraded' ? [event] : []))
    expect(causes.filter(event => event !== 'virtualCluster.observed')).toEqual([])
    expect(since().map(({ event }) => event)).not.toContain('controlPlane.contactLost')
    await one.phase(EU, 'Ready')
    expect(JSON.stringify([await one.read(EU), one.kairship.fleet.explain(EU)])).not.toContain(token)
  })

  it('uses a renewed client certificate', async () => {
    const { server } = one.controlPlane
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
    await one.patchSecret(`${EU}-kubeconfig`, kubeconfig)
    const all = ['/api/v1/namespaces/kube-system', '/readyz', '/apis/cluster.karmada.io/v1alpha1/clusters']
    await eventually('the new certificate to be used', () => all.every(path => asked.has(path)), {
      story: () => `${[...asked].join('\n')}\n${one.story(EU)()}`,
    })
    stopListening()
    await one.phase(EU, 'Ready')
    const [, key = 'never there'] = /client-key-data: (\S+)/.exec(kubeconfig) ?? []
    expect(JSON.stringify([await one.read(EU), one.kairship.fleet.explain(EU)])).not.toContain(key)
  })
})

describe('an instance that cannot work names the reason, and recovers when that is fixed', () => {
  it('a missing Secret', async () => {
    await one.adopt('late')
    expect((await one.condition('late', 'CredentialsResolved', 'SecretNotFound')).message).toContain(
      `${NAMESPACE}/late`,
    )
    await one.remove(INSTANCES, { name: 'late' })
    await one.gone('late')
  })

  it('a malformed kubeconfig, then one without the right key, then one of a duplicate', async () => {
    await one.create(SECRETS, secretOf('duplicate', 'not a kubeconfig'), NAMESPACE)
    await one.adopt('duplicate')
    await one.condition('duplicate', 'CredentialsResolved', 'KubeconfigInvalid')
    await one.patchSecret('duplicate', null)
    await one.condition('duplicate', 'CredentialsResolved', 'SecretKeyMissing')
    const kubeconfig = await one.controlPlane.server.kubeconfig({
      name: 'kairship',
      groups: ['system:masters'],
    })
    await one.patchSecret('duplicate', kubeconfig)
    const { message } = await one.condition('duplicate', 'Accepted', 'DuplicateControlPlane')
    expect(message).toContain(EU)
    expect((await one.list(PEDIA_CLUSTERS)).map(({ metadata }) => metadata.name)).not.toContain('k-duplicate')
    expect((await one.read(EU)).status?.phase).toBe('Ready')
  })

  it.each([
    ['nothing listens there', 'https://127.0.0.1:1', 'Unreachable'],
    ['its certificate does not verify', undefined, 'CertificateInvalid'],
  ])('%s', async (_what, server, reason) => {
    const good = await one.controlPlane.server.kubeconfig({ name: 'kairship', groups: ['system:masters'] })
    const bad = server
      ? good.replaceAll(one.controlPlane.server.url, server)
      : good.replaceAll(
          Buffer.from(one.controlPlane.server.certificateAuthority).toString('base64'),
          Buffer.from(one.playground.host.certificateAuthority).toString('base64'),
        )
    const name = reason.toLowerCase()
    await one.create(SECRETS, secretOf(name, bad), NAMESPACE)
    await one.adopt(name)
    await one.condition(name, 'ControlPlaneHealthy', reason)
    await one.remove(INSTANCES, { name })
    await one.gone(name)
  })
})

describe('deletion', () => {
  it('of the first instance leaves nothing outside, and the duplicate becomes ready without a restart', async () => {
    await one.remove(INSTANCES, { name: EU })
    await one.gone(EU)
    const left = await Promise.all(
      [PEDIA_CLUSTERS, INSTANCE_REGISTRATIONS].map(type => one.list(type, `kairship.io/instance=${EU}`)),
    )
    expect(left.flat()).toEqual([])
    await one.phase('duplicate', 'Ready')
  })

  it('of the last instance leaves nothing outside', async () => {
    await one.remove(INSTANCES, { name: 'duplicate' })
    await one.gone('duplicate')
    expect(await one.list(PEDIA_CLUSTERS)).toEqual([])
    expect(await one.list(INSTANCE_REGISTRATIONS)).toEqual([])
  })
})

describe('an installed instance', () => {
  it('is installed by karmada-operator, becomes ready, and is uninstalled', async () => {
    await one.create(INSTANCES, {
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'Instance',
      metadata: { name: 'fresh' },
      spec: { install: {}, deletionPolicy: 'Delete' },
    })
    await one.phase('fresh', 'Ready')
    const { status } = await one.read('fresh')
    expect(status?.conditions?.find(({ type }) => type === 'Installed')).toMatchObject({ status: 'True' })
    expect(status?.karmadaVersion).toMatch(/^v1\./)
    await one.remove(INSTANCES, { name: 'fresh' })
    await one.gone('fresh')
    expect(await one.list(KARMADAS)).toEqual([])
  })
})

describe('a second replica', () => {
  it('follows before it leads, takes over when the first stops, and does not repeat writes', async () => {
    const second = one.startReplica('second')
    try {
      await eventually('the second sees the fleet', () => second.fleet.synced)
      expect(second.fleet.leadership()).toMatchObject({ leading: false })
      await one.kairship.stop()
      await eventually('the second leads', () => second.fleet.leadership().leading)
    } finally {
      await second.stop()
    }
  })
})
