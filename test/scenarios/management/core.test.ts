import { describe, expect, it } from 'vitest'
import { CoreService } from '../../../proto/gen/kairship/core_pb.js'
import { eventually } from '../support/eventually.js'
import { ManagedWorld, TYPES } from '../support/managed-world.js'

const world = new ManagedWorld(CoreService)
const at = (namespace = 'default') => ({ instance: world.instance, namespace })
const named = (name: string, namespace = 'default') => ({ ...at(namespace), name })
const whole = () => ({ instance: world.instance })
const object = (kind: string, name: string, rest: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, ...metadata },
  ...rest,
})
const data = (manifest: object) => JSON.stringify(manifest)
const namesOf = ({ items }: { items: { metadata: { name: string } }[] }) =>
  items.map(({ metadata }) => metadata.name)
const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('a ConfigMap of an instance', () => {
  it('is created from YAML, read, listed by labels and namespace, and deleted', async () => {
    const yaml =
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: colors\n  labels: {team: blue}\ndata: {sky: "08"}\n'
    await world.calls.rest('createConfigMap', { ...at(), data: yaml })
    expect(await world.calls.read('getConfigMap', named('colors'))).toMatchObject({
      metadata: { name: 'colors', namespace: 'default' },
      data: { sky: '08' },
      binaryData: {},
      immutable: false,
      status: { clusters: [] },
    })
    expect(JSON.parse((await world.calls.read('getConfigMapJSON', named('colors'))).data)).toMatchObject({
      kind: 'ConfigMap',
      data: { sky: '08' },
    })
    const list = { labelSelector: 'team=blue', name: 'olor' }
    expect(namesOf(await world.calls.read('listConfigMaps', { ...at(), ...list }))).toEqual(['colors'])
    expect(namesOf(await world.calls.read('listInstanceConfigMaps', { ...whole(), ...list }))).toEqual([
      'colors',
    ])
    expect(
      namesOf(
        await world.calls.read('listInstanceConfigMaps', { ...whole(), ...list, namespace: 'kube-system' }),
      ),
    ).toEqual([])
    expect(await world.calls.rest('deleteConfigMap', named('colors'))).toEqual({})
    expect((await world.calls.both('getConfigMap', named('colors'))).json.code).toBe(5)
  })

  it('is patched by key and replaced only as it was read', async () => {
    await world.calls.rest('createConfigMap', {
      ...at(),
      data: data(object('ConfigMap', 'keys', { data: { a: '1', b: '2' } })),
    })
    const read = JSON.parse((await world.calls.read('getConfigMapJSON', named('keys'))).data)
    const patched = await world.calls.rest('patchConfigMap', { ...named('keys'), data: { b: '3', c: '4' } })
    expect(JSON.parse(patched.data).data).toEqual({ a: '1', b: '3', c: '4' })
    const stale = { ...named('keys'), data: data({ ...read, data: {} }) }
    expect((await world.calls.both('updateConfigMap', stale)).json.code).toBe(10)
    const { resourceVersion: _, ...metadata } = read.metadata
    const whatever = { ...named('keys'), data: data({ ...read, metadata, data: { d: '5' } }) }
    expect(JSON.parse((await world.calls.rest('updateConfigMap', whatever)).data).data).toEqual({ d: '5' })
    expect((await world.calls.read('getConfigMap', named('keys'))).data).toEqual({ d: '5' })
  })

  it('shows where it goes along with a workload', async () => {
    const apps = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'along' } }
    await world.create(world.control, TYPES.configMaps, object('ConfigMap', 'along', { data: { a: '1' } }))
    await world.place('Deployment', 'along', { apiVersion: 'apps/v1', more: { propagateDeps: true } })
    const main = { name: 'main', image: 'nginx', envFrom: [{ configMapRef: { name: 'along' } }] }
    await world.create(world.control, TYPES.deployments, {
      ...apps,
      spec: {
        selector: { matchLabels: { app: 'along' } },
        template: { metadata: { labels: { app: 'along' } }, spec: { containers: [main] } },
      },
    })
    await eventually('both members have the ConfigMap', async () => {
      const { status } = await world.calls.rest('getConfigMap', named('along'))
      return status.clusters.filter(({ applied }: { applied: boolean }) => applied).length === 2
    })
  })
})

describe('a Secret of an instance', () => {
  const canary = 'c4n4ry-value'

  it('shows its values to whoever asks for it, and to no list, log or audit record', async () => {
    const stored = await world.calls.rest('createSecret', {
      ...at(),
      data: data(
        object(
          'Secret',
          'canary',
          { stringData: { password: canary } },
          {
            annotations: { 'kubectl.kubernetes.io/last-applied-configuration': data({ password: canary }) },
          },
        ),
      ),
    })
    expect(JSON.parse(stored.data).data.password).toBe(base64(canary))
    expect(await world.calls.read('getSecret', named('canary'))).toMatchObject({
      type: 'Opaque',
      data: { password: base64(canary) },
      stringData: {},
    })
    const json = JSON.parse((await world.calls.read('getSecretJSON', named('canary'))).data)
    expect(json.data.password).toBe(base64(canary))
    for (const rpc of ['listSecrets', 'listInstanceSecrets'] as const) {
      const list = await world.calls.read(rpc, {
        ...(rpc === 'listSecrets' ? at() : whole()),
        name: 'canary',
      })
      expect(list.items).toMatchObject([{ metadata: { name: 'canary' }, data: { password: '' } }])
      expect(JSON.stringify(list)).not.toMatch(new RegExp(`${canary}|${base64(canary)}`))
    }
    const patched = await world.calls.rest('patchSecret', {
      ...named('canary'),
      data: { user: base64('me') },
    })
    expect(Object.keys(JSON.parse(patched.data).data).sort()).toEqual(['password', 'user'])
    const wrong = await world.calls.both('patchSecret', { ...named('canary'), data: { user: `${canary}!` } })
    expect(wrong).toMatchObject({ ok: false, json: { code: 3 } })
    expect(wrong.text).not.toContain(canary)
    const logged = JSON.stringify(world.log(), (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    expect(logged).not.toMatch(new RegExp(`${canary}|${base64(canary)}`))
    expect(logged).toContain('CreateSecret')
  })

  it('shows no values in the list of a member', async () => {
    const [cluster = ''] = world.members
    await world.create(
      world.member(cluster).local,
      TYPES.secrets,
      object('Secret', 'canary', { stringData: { password: canary } }),
    )
    const list = await world.calls.read('listSecretsForMemberCluster', { ...at(), cluster, name: 'canary' })
    expect(list.items).toMatchObject([{ metadata: { name: 'canary', cluster }, data: { password: '' } }])
    expect(JSON.stringify(list)).not.toMatch(new RegExp(`${canary}|${base64(canary)}`))
  })

  it('is replaced, deleted, and kept from those who may only read workloads', async () => {
    const read = JSON.parse((await world.calls.read('getSecretJSON', named('canary'))).data)
    const replaced = await world.calls.rest('updateSecret', {
      ...named('canary'),
      data: data({ ...read, data: {} }),
    })
    expect(JSON.parse(replaced.data).data ?? {}).toEqual({})
    expect((await world.viewer.both('getSecret', named('canary'))).json.code).toBe(7)
    expect((await world.viewer.both('listSecrets', at())).json.code).toBe(7)
    expect(await world.calls.rest('deleteSecret', named('canary'))).toEqual({})
  })
})

describe('a Service of an instance', () => {
  const service = (name: string, spec: object = {}) =>
    object('Service', name, { spec: { ports: [{ port: 80, targetPort: 'http' }], ...spec } })
  const create = (name: string, spec?: object) =>
    world.calls.rest('createService', { ...at(), data: data(service(name, spec)) })
  const workload = async (kind: string, resource: string, name: string) =>
    world.create(
      world.control,
      { group: 'apps', version: 'v1', resource },
      {
        apiVersion: 'apps/v1',
        kind,
        metadata: { name },
        spec: {
          ...(kind === 'StatefulSet' && { serviceName: name }),
          selector: { matchLabels: { app: name } },
          template: {
            metadata: { labels: { app: name, tier: 'front' } },
            spec: { containers: [{ name: 'main', image: 'nginx' }] },
          },
        },
      },
    )

  it('is created, read, annotated, replaced and deleted', async () => {
    await create('web', { selector: { app: 'web' } })
    const shown = await world.calls.read('getService', named('web'))
    expect(shown).toMatchObject({
      spec: { type: 'ClusterIP', ports: [{ port: 80, targetPort: 'http', protocol: 'TCP' }] },
    })
    expect(shown.spec.clusterIP).not.toBe('')
    const patched = await world.calls.rest('patchService', { ...named('web'), data: { note: 'hello' } })
    expect(JSON.parse(patched.data).metadata.annotations).toEqual({ note: 'hello' })
    const read = JSON.parse((await world.calls.read('getServiceJSON', named('web'))).data)
    const spec = { ...read.spec, sessionAffinity: 'ClientIP' }
    const replaced = await world.calls.rest('updateService', {
      ...named('web'),
      data: data({ ...read, spec }),
    })
    expect(JSON.parse(replaced.data)).toMatchObject({
      metadata: { annotations: { note: 'hello' } },
      spec: { sessionAffinity: 'ClientIP', internalTrafficPolicy: 'Cluster' },
    })
    expect(await world.calls.rest('deleteService', named('web'))).toEqual({})
  })

  it('is listed by type, by workload, sorted by the field of its own, in the namespace and the instance', async () => {
    await workload('Deployment', 'deployments', 'shop')
    await workload('StatefulSet', 'statefulsets', 'shop-db')
    await create('list-all', { selector: { tier: 'front' } })
    await create('list-shop', { selector: { app: 'shop' }, type: 'NodePort' })
    await create('list-none', {})
    const list = async (more: object) =>
      namesOf(await world.calls.read('listServices', { ...at(), name: 'list-', ...more }))
    expect(await list({})).toEqual(['list-all', 'list-none', 'list-shop'])
    expect(await list({ sortBy: 'field_name', orderBy: 'desc' })).toEqual([
      'list-shop',
      'list-none',
      'list-all',
    ])
    expect(await list({ sortBy: 'field_name', orderBy: 'asc' })).toEqual([
      'list-all',
      'list-none',
      'list-shop',
    ])
    expect(await list({ type: ['NodePort'] })).toEqual(['list-shop'])
    expect(await list({ type: ['NodePort', 'ClusterIP'] })).toEqual(['list-all', 'list-none', 'list-shop'])
    expect(await list({ kind: 'Deployment', kindName: 'shop' })).toEqual(['list-all', 'list-shop'])
    expect(await list({ kind: 'StatefulSet', kindName: 'shop-db' })).toEqual(['list-all'])
    expect(await list({ kind: 'Deployment', kindName: 'shop', type: ['NodePort'] })).toEqual(['list-shop'])
    expect(await list({ kind: 'Deployment', kindName: 'nobody' })).toEqual([])
    expect(
      namesOf(
        await world.calls.read('listInstanceServices', { ...whole(), name: 'list-', type: ['NodePort'] }),
      ),
    ).toEqual(['list-shop'])
    const half = await world.calls.both('listServices', { ...at(), kind: 'Deployment' })
    expect(half).toMatchObject({ ok: false, json: { code: 3 } })
    expect(half.json.message).toContain('kindName')
  })

  it('is created for a workload with its selector and placement, and reaches the members that the workload is in', async () => {
    const [, second = ''] = world.members
    const key = { namespace: 'default', name: 'placed' }
    await world.place('Deployment', 'placed', {
      apiVersion: 'apps/v1',
      more: {
        placement: {
          clusterAffinity: { clusterNames: [second] },
          replicaScheduling: { replicaSchedulingType: 'Divided' },
        },
      },
    })
    await workload('Deployment', 'deployments', 'placed')
    await world.in(second, TYPES.deployments, key)
    const request = { ...at(), kind: 'Deployment', kindName: 'placed' }
    const made = await world.calls.rest('createWorkloadService', {
      ...request,
      data: data(service('placed')),
    })
    expect(made).toEqual({})
    const there = await world.in(second, TYPES.services, key)
    expect(there.spec.selector).toEqual({ app: 'placed' })
    const shown = await eventually('it is applied', async () => {
      const found = await world.calls.rest('getService', named('placed'))
      return found.status.clusters[0]?.applied && found
    })
    expect(shown.status.clusters).toMatchObject([{ name: second }])

    const other = service('placed-other', { selector: { app: 'other' } })
    const refused = await world.calls.both('createWorkloadService', { ...request, data: data(other) })
    expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
    expect(refused.text).toContain('data.spec.selector')
    const nobody = { ...request, kindName: 'nobody', data: data(service('placed-nobody')) }
    expect((await world.calls.both('createWorkloadService', nobody)).json.code).toBe(5)
  })

  it('leaves no policy behind where the Service is refused', async () => {
    await workload('Deployment', 'deployments', 'unlucky')
    await world.place('Deployment', 'unlucky', { apiVersion: 'apps/v1' })
    await world.in(
      world.instance,
      TYPES.deployments,
      { namespace: 'default', name: 'unlucky' },
      ({ metadata }) => Boolean(metadata.annotations?.['propagationpolicy.karmada.io/name']),
    )
    const policies = async () =>
      (
        await world.control.request<{ items: { metadata: { name: string } }[] }>({
          method: 'GET',
          path: '/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies',
        })
      ).items.map(({ metadata }) => metadata.name)
    const before = await policies()
    const refused = await world.calls.overRest('createWorkloadService', {
      ...at(),
      kind: 'Deployment',
      kindName: 'unlucky',
      data: data(service('unlucky', { ports: [{ port: 0 }] })),
    })
    expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
    await eventually('the policies that were there', async () => String(await policies()) === String(before))
  })
})

describe('the Services of a member', () => {
  it('are listed by workload and type, and promoted', async () => {
    const [cluster = ''] = world.members
    const api = world.member(cluster).local
    const [shop, labels] = ['member-shop', { app: 'front' }]
    await world.create(world.control, TYPES.namespaces, { metadata: { name: shop } })
    await world.in(cluster, TYPES.namespaces, { name: shop })
    const spec = { selector: labels, ports: [{ port: 80 }] }
    await world.create(api, TYPES.services, object('Service', 'front', { spec }), shop)
    await world.create(
      api,
      TYPES.services,
      object('Service', 'other', { spec: { ...spec, selector: { app: 'x' } } }),
      shop,
    )
    await world.create(
      api,
      TYPES.deployments,
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'front' },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx' }] } },
        },
      },
      shop,
    )
    const there = { ...whole(), cluster }
    const by = { kind: 'Deployment', kindName: 'front' }
    const member = { ...there, namespace: shop }
    expect(namesOf(await world.calls.read('listServicesForMemberCluster', member))).toEqual([
      'front',
      'other',
    ])
    expect(namesOf(await world.calls.read('listServicesForMemberCluster', { ...member, ...by }))).toEqual([
      'front',
    ])
    expect(namesOf(await world.calls.read('listMemberClusterServices', { ...member, ...by }))).toEqual([
      'front',
    ])
    expect(
      namesOf(await world.calls.read('listMemberClusterAllServices', { ...there, name: 'fron' })),
    ).toEqual(['front'])
    expect(namesOf(await world.calls.read('listMemberClusterAllServices', { ...member, ...by }))).toEqual([
      'front',
    ])

    const ip = (await world.find(api, TYPES.services, { namespace: shop, name: 'front' })).spec.clusterIP
    expect(await world.calls.rest('promoteMemberClusterService', { ...member, name: 'front' })).toEqual({})
    const shown = await eventually('it is applied', async () => {
      const found = await world.calls.rest('getService', named('front', shop))
      return found.status.clusters[0]?.applied && found
    })
    expect(shown.status.clusters).toMatchObject([{ name: cluster }])
    expect((await world.find(api, TYPES.services, { namespace: shop, name: 'front' })).spec.clusterIP).toBe(
      ip,
    )
    expect((await world.calls.overRest('promoteMemberClusterService', { ...member, name: 'front' })).ok).toBe(
      false,
    )
  })
})

describe('the pods of a member', () => {
  const container = { name: 'main', image: 'nginx', resources: { requests: { cpu: '100m' } } }

  it('are those of one workload, by who controls them and not by their name', async () => {
    const [cluster = ''] = world.members
    const api = world.member(cluster).local
    const [space, labels] = ['pods', { app: 'web' }]
    await world.create(world.control, TYPES.namespaces, { metadata: { name: space } })
    await world.in(cluster, TYPES.namespaces, { name: space })
    const template = { metadata: { labels }, spec: { containers: [container] } }
    await world.create(
      api,
      TYPES.deployments,
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web' },
        spec: { replicas: 2, selector: { matchLabels: labels }, template },
      },
      space,
    )
    await world.create(
      api,
      TYPES.services,
      object('Service', 'web', { spec: { selector: labels, ports: [{ port: 80 }] } }),
      space,
    )
    const jobPods = { restartPolicy: 'Never', containers: [container] }
    const cron = await world.create(
      api,
      TYPES.cronJobs,
      {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata: { name: 'web' },
        spec: {
          schedule: '* * * * *',
          suspend: true,
          jobTemplate: { spec: { template: { spec: jobPods } } },
        },
      },
      space,
    )
    const owner = {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      name: 'web',
      uid: cron.metadata.uid!,
      controller: true,
    }
    const run = (name: string, podLabels: object, metadata: object = {}) =>
      world.create(
        api,
        TYPES.jobs,
        {
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: { name, ...metadata },
          spec: { template: { metadata: { labels: podLabels }, spec: jobPods } },
        },
        space,
      )
    await run('web-1', { app: 'job' }, { ownerReferences: [owner] })
    await run('web', labels)
    await world.create(
      api,
      TYPES.pods,
      object('Pod', 'web-alone', { spec: { containers: [container] } }, { labels }),
      space,
    )
    const list = (more: object) =>
      world.calls.read('listPodsForMemberCluster', { ...at(space), cluster, ...more })
    const of = async (kind: string, kindName = 'web') => namesOf(await list({ kind, kindName }))
    await eventually('two pods of the Deployment run, and one of each Job is there', async () => {
      const { items } = await list({ kind: 'Deployment', kindName: 'web', phase: 'Running' })
      const ofJobs = [await of('Job'), await of('CronJob')]
      return items.length === 2 && ofJobs.every(({ length }) => length === 1)
    })
    const deployed = await of('Deployment')
    expect(deployed).toHaveLength(2)
    const [[ofCronJob = ''], [ofJob = '']] = [await of('CronJob'), await of('Job')]
    expect(ofCronJob).toMatch(/^web-1-/)
    expect(await of('Job', 'web-1')).toEqual([ofCronJob])
    expect(ofJob).not.toBe(ofCronJob)
    expect(await of('StatefulSet')).toEqual([])
    expect(await of('Service')).toEqual([...deployed, 'web-alone', ofJob].sort())
    const all = await list({})
    expect(all.items).toHaveLength(5)
    expect(
      all.items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === deployed[0]),
    ).toMatchObject({
      metadata: { cluster },
      status: {
        phase: 'Running',
        cpuRequest: '100',
        containerTotalCount: 1,
        containerReadyCount: 1,
        ownedBy: { kind: 'DEPLOYMENT', name: 'web' },
      },
    })
    expect(namesOf(await list({ name: 'alone' }))).toEqual(['web-alone'])
    expect(namesOf(await list({ labelSelector: 'app=job' }))).toEqual([ofCronJob])
    expect(namesOf(await list({ fieldSelector: 'metadata.name=web-alone' }))).toEqual(['web-alone'])
    expect(
      (await world.calls.both('listPodsForMemberCluster', { ...at(space), cluster, phase: 'Up' })).json.code,
    ).toBe(3)
  })
})

describe('Namespaces', () => {
  it('are created, wrapped, patched, replaced, listed with the system ones marked, and deleted', async () => {
    const { namespace } = await world.calls.rest('createNamespace', {
      ...whole(),
      data: data(object('Namespace', 'teams', {}, { labels: { team: 'blue' } })),
    })
    expect(namespace).toMatchObject({
      metadata: { name: 'teams', labels: { team: 'blue' } },
      spec: { Finalizers: ['kubernetes'] },
      system: false,
    })
    const key = { ...whole(), name: 'teams' }
    const patch = { metadata: { labels: { team: 'red' } } }
    const patched = await world.calls.rest('patchNamespace', { ...key, data: data(patch) })
    expect(JSON.parse(patched.data).metadata.labels).toMatchObject({ team: 'red' })
    const read = JSON.parse((await world.calls.read('getNamespaceJSON', key)).data)
    const annotations = { ...read.metadata.annotations, note: 'x' }
    const manifest = { ...read, metadata: { ...read.metadata, annotations } }
    const replaced = await world.calls.rest('updateNamespace', { ...key, data: data(manifest) })
    expect(JSON.parse(replaced.data).metadata.annotations).toMatchObject({ note: 'x' })
    const shown = await world.calls.read('getNamespace', key)
    expect(shown.namespace).toMatchObject({
      metadata: { labels: { team: 'red' } },
      status: { phase: 'Active' },
    })
    const { items } = await world.calls.read('listNamespaces', whole())
    const system = Object.fromEntries(
      items.map((item: { metadata: { name: string }; system: boolean }) => [item.metadata.name, item.system]),
    )
    expect(system).toMatchObject({
      teams: false,
      default: false,
      'kube-system': true,
      'karmada-cluster': true,
    })
    expect(namesOf(await world.calls.read('listNamespaces', { ...whole(), name: 'team' }))).toEqual(['teams'])
    expect(await world.calls.rest('deleteNamespace', key)).toEqual({})
    await eventually('it is gone', async () => !(await world.calls.overRest('getNamespace', key)).ok)
  })

  it('are summed up for an instance and for a member', async () => {
    const summary = await world.calls.read('listNamespaceSummary', whole())
    expect(summary.accessScope).toBe('Instance')
    expect(summary.data).toContainEqual({ name: 'default', instance: world.instance, system: false })
    expect(summary.data).toContainEqual({ name: 'kube-system', instance: world.instance, system: true })
    const [cluster = ''] = world.members
    const member = await world.calls.read('listMemberClusterNamespaceSummary', { ...whole(), cluster })
    expect(member.data).toContainEqual({
      name: 'kube-system',
      instance: world.instance,
      cluster,
      system: true,
    })
  })

  it('are refused with a namespace, another kind or a name that is none', async () => {
    for (const manifest of [
      object('ConfigMap', 'x'),
      object('Namespace', 'No'),
      object('Namespace', 'x', {}, { namespace: 'y' }),
    ])
      expect(await world.calls.both('createNamespace', { ...whole(), data: data(manifest) })).toMatchObject({
        ok: false,
        json: { code: 3 },
      })
  })
})

describe('events', () => {
  const event = (name: string, about: object, more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name },
    involvedObject: { namespace: 'default', ...about },
    reason: 'Tested',
    message: name,
    source: { component: 'test' },
    type: 'Normal',
    count: 1,
    firstTimestamp: '2026-11-20T10:00:00Z',
    lastTimestamp: '2026-11-20T10:00:00Z',
    ...more,
  })
  const messagesOf = ({ items }: { items: { message: string }[] }) => items.map(({ message }) => message)

  it('of an instance are listed newest first, by kind, object and type', async () => {
    const about = { kind: 'Widget', name: 'a' }
    await world.create(world.control, TYPES.events, event('older', about))
    await world.create(
      world.control,
      TYPES.events,
      event('newer', about, { type: 'Warning', lastTimestamp: '2026-11-20T11:00:00Z' }),
    )
    await world.create(world.control, TYPES.events, event('other', { kind: 'Widget', name: 'b,c=d' }))
    const list = async (more: object) =>
      messagesOf(await world.calls.read('listInstanceEvents', { ...whole(), kind: 'Widget', ...more }))
    expect(await list({ name: 'a' })).toEqual(['newer', 'older'])
    expect(await list({ name: 'b,c=d' })).toEqual(['other'])
    expect(await list({ type: ['Warning'] })).toEqual(['newer'])
    expect(await list({ type: ['Warning', 'Normal'] })).toHaveLength(3)
    expect(await list({ kind: 'Gadget' })).toEqual([])
    const one = await world.calls.read('listEvents', { ...at(), kind: 'Widget', kindName: 'a', pageSize: 1 })
    expect(one).toMatchObject({
      items: [
        {
          involvedObject: { kind: 'Widget', name: 'a', namespace: 'default' },
          reason: 'Tested',
          source: { component: 'test' },
          type: 'Warning',
          cluster: '',
          lastTimestamp: String(Date.parse('2026-11-20T11:00:00Z')),
        },
      ],
      pagination: { total: 2 },
    })
    const kinds = await world.calls.read('listInstanceEventKinds', whole())
    expect(kinds.data).toContain('Widget')
    expect(kinds.data).toEqual([...new Set(kinds.data)].sort())
  })

  it('of a member are listed where it is named', async () => {
    const [cluster = ''] = world.members
    await world.create(world.member(cluster).local, TYPES.events, event('there', { kind: 'Gear', name: 'g' }))
    const list = await world.calls.read('listEvents', { ...at(), cluster, kind: 'Gear', kindName: 'g' })
    expect(list.items).toMatchObject([{ message: 'there', cluster }])
    expect((await world.calls.read('listInstanceEventKinds', { ...whole(), cluster })).data).toContain('Gear')
    expect(
      messagesOf(await world.calls.read('listInstanceEvents', { ...whole(), cluster, kind: 'Gear' })),
    ).toEqual(['there'])
    expect(messagesOf(await world.calls.read('listInstanceEvents', { ...whole(), kind: 'Gear' }))).toEqual([])
  })
})

describe('a request that is wrong', () => {
  it.each([
    ['malformed YAML', 'a: b: c', /neither JSON nor YAML/],
    ['several documents', 'kind: ConfigMap\n---\nkind: ConfigMap\n', /exactly one/],
    ['another kind', data(object('Secret', 'a')), /must be "ConfigMap"/],
    ['values that are none', data(object('ConfigMap', 'a', { data: { a: 1 } })), /data/],
    ['a key that is none', data(object('ConfigMap', 'a', { data: { 'a/b': '1' } })), /data\.data/],
  ])('is refused on create: %s', async (_, manifest, message) => {
    const refused = await world.calls.both('createConfigMap', { ...at(), data: manifest })
    expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
    expect(refused.text).toMatch(message)
  })

  it('is refused where it is larger than any object', async () => {
    const big = object('ConfigMap', 'big', { data: { big: 'x'.repeat(3 << 20) } })
    expect((await world.calls.overRest('createConfigMap', { ...at(), data: data(big) })).ok).toBe(false)
  })

  it.each([
    [{ labelSelector: 'a in (' }],
    [{ labelSelector: 'a=b;c' }],
    [{ labelSelector: `${'a'.repeat(300)}=b` }],
    [{ fieldSelector: 'data.password=x' }],
    [{ fieldSelector: 'metadata.name=a=b' }],
  ])('is refused on list: %j', async more => {
    const refused = await world.calls.both('listInstanceSecrets', { ...whole(), ...more })
    expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
  })

  it('is refused for an instance and a member that are not there', async () => {
    expect((await world.calls.both('listNamespaces', { instance: 'nowhere' })).json.code).toBe(5)
    expect(
      (await world.calls.both('listSecretsForMemberCluster', { ...at(), cluster: 'nowhere' })).json.code,
    ).toBe(5)
  })
})
