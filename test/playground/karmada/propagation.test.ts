import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import { CLUSTERS, type Cluster } from '../../../karmada/objects/cluster.js'
import { BINDINGS, type Binding } from '../../../karmada/objects/resource-binding.js'
import {
  type GroupVersionResource,
  type KubeList,
  type KubeObject,
  resourcePath,
} from '../../../manifests/kube.js'
import { ensure, read, remove, update } from '../../../playground/client/write.js'
import { unjoin } from '../../../playground/karmada/join.js'
import type { Member } from '../../../playground/member/member.js'
import { conditionOf } from '../../../playground/objects/conditions.js'
import {
  CLUSTER_ROLES,
  CONFIG_MAPS,
  DEPLOYMENTS,
  NAMESPACES,
  SERVICES,
} from '../../../playground/objects/core-types.js'
import { eventually } from '../eventually.js'
import {
  deployment,
  divided,
  duplicated,
  POLICIES,
  PropagationWorld,
  policyType as policy,
  policyFor,
} from './propagation-world.js'

const MEMBERS = ['m1', 'm2', 'm3'] as const

let world: PropagationWorld
beforeAll(async () => {
  world = await PropagationWorld.start(MEMBERS)
})
afterAll(() => world.close())

const member = (name: string) => world.member(name)
const control = () => world.control
const bindingOf = (name: string) => world.binding(name)
const inMember = (cluster: string, name: string, type?: GroupVersionResource, namespace?: string) =>
  world.inMember(cluster, name, type, namespace)
const template = (name: string) => world.template(name)
const worksOf = (binding: Binding) => world.worksOf(binding)
const isEverywhere = (name: string) => world.isEverywhere(name)

describe('a Deployment with a policy', () => {
  it('runs in the chosen members with its share of the replicas, and reports its status', async () => {
    await ensure(control(), POLICIES, policyFor('Deployment', 'web', divided(['m1', 2], ['m2', 1])))
    await ensure(control(), DEPLOYMENTS, deployment('web', 6))
    const { status } = await eventually('six ready replicas in the template', async () => {
      const found = await template('web')
      const { readyReplicas, observedGeneration } = found?.status ?? {}
      return readyReplicas === 6 && observedGeneration === found?.metadata.generation ? found : undefined
    })
    expect(status).toMatchObject({ replicas: 6, updatedReplicas: 6, availableReplicas: 6 })
    expect((await inMember('m1', 'web'))?.spec?.replicas).toBe(4)
    expect((await inMember('m2', 'web'))?.spec?.replicas).toBe(2)
    expect(await inMember('m3', 'web')).toBeUndefined()
    const binding = await eventually('a healthy binding', async () => {
      const found = await bindingOf('web')
      return found?.status?.aggregatedStatus?.every(({ health }) => health === 'Healthy') ? found : undefined
    })
    expect(binding.spec.clusters).toEqual([
      { name: 'm1', replicas: 4 },
      { name: 'm2', replicas: 2 },
    ])
    expect(binding.metadata.finalizers).toEqual(['karmada.io/binding-controller'])
    expect(conditionOf(binding.status?.conditions, 'Scheduled')).toMatchObject({
      status: 'True',
      reason: 'Success',
      message: 'Binding has been scheduled successfully.',
    })
    expect(binding.status?.schedulerObservedGeneration).toBe(binding.metadata.generation)
    expect(
      binding.status?.aggregatedStatus?.map(({ clusterName, applied }) => [clusterName, applied]),
    ).toEqual([
      ['m1', true],
      ['m2', true],
    ])
    const works = await worksOf(binding)
    expect(works.map(({ metadata }) => metadata.namespace).sort()).toEqual(['karmada-es-m1', 'karmada-es-m2'])
    expect((await inMember('m1', 'web'))?.metadata).toMatchObject({
      labels: { 'karmada.io/managed': 'true', app: 'web' },
      annotations: {
        'work.karmada.io/namespace': 'karmada-es-m1',
        'resourcetemplate.karmada.io/generation': String((await template('web'))?.metadata.generation),
      },
    })
  })

  it('follows scaling, and its shares add up to the total', async () => {
    await update<Resource>(control(), DEPLOYMENTS, { namespace: 'default', name: 'web' }, one => ({
      ...one,
      spec: { ...one.spec, replicas: 9 },
    }))
    await eventually('nine ready replicas', async () => (await template('web'))?.status?.readyReplicas === 9)
    const parts = await Promise.all(
      ['m1', 'm2'].map(async name => (await inMember(name, 'web'))?.spec?.replicas),
    )
    expect(parts).toEqual([6, 3])
  })

  it('is overridden in one member only, and restored when the override is deleted', async () => {
    const override = {
      apiVersion: 'policy.karmada.io/v1alpha1',
      kind: 'OverridePolicy',
      metadata: { namespace: 'default', name: 'o-web' },
      spec: {
        resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }],
        overrideRules: [
          {
            targetCluster: { clusterNames: ['m2'] },
            overriders: { imageOverrider: [{ component: 'Tag', operator: 'replace', value: '1.28' }] },
          },
        ],
      },
    } as KubeObject
    await ensure(control(), policy('overridepolicies'), override)
    await eventually('the image of m2', async () => (await imageIn('m2')) === 'nginx:1.28')
    expect(await imageIn('m1')).toBe('nginx:1.27')
    await remove(control(), policy('overridepolicies'), override.metadata)
    await eventually('the template’s image in m2', async () => (await imageIn('m2')) === 'nginx:1.27')
  })

  const imageIn = async (cluster: string) => {
    const spec = (await inMember(cluster, 'web'))?.spec as {
      template?: { spec?: { containers?: { image?: string }[] } }
    }
    return spec?.template?.spec?.containers?.[0]?.image
  }

  it('is restored in a member where it is changed or deleted', async () => {
    await update<Resource>(member('m1'), DEPLOYMENTS, { namespace: 'default', name: 'web' }, one => ({
      ...one,
      spec: { ...one.spec, replicas: 1 },
    }))
    await eventually(
      'six replicas in m1 again',
      async () => (await inMember('m1', 'web'))?.spec?.replicas === 6,
    )
    const before = (await inMember('m2', 'web'))?.metadata.uid
    await remove(member('m2'), DEPLOYMENTS, { namespace: 'default', name: 'web' })
    await eventually('another Deployment in m2', async () => {
      const found = await inMember('m2', 'web')
      return found && found.metadata.uid !== before
    })
  })

  it('moves when its policy names other members, and leaves nothing there', async () => {
    await update<Resource>(control(), POLICIES, { namespace: 'default', name: 'p-web' }, one => ({
      ...one,
      spec: { ...one.spec, placement: divided(['m2', 1], ['m3', 1]) },
    }))
    await eventually('it to be gone from m1', async () => !(await inMember('m1', 'web')))
    await eventually('nine replicas in m2 and m3', async () => {
      const parts = await Promise.all(
        ['m2', 'm3'].map(async name => (await inMember(name, 'web'))?.spec?.replicas),
      )
      return parts.reduce<number>((sum, part) => sum + Number(part ?? 0), 0) === 9
    })
    await eventually('the binding to be applied', () => isEverywhere('web'))
  })

  it('stays in place when its policy is deleted, and is claimed by the next policy that selects it', async () => {
    await remove(control(), POLICIES, { namespace: 'default', name: 'p-web' })
    await eventually(
      'the policy to be gone',
      async () => !(await read(control(), POLICIES, { namespace: 'default', name: 'p-web' })),
    )
    const marks = (object?: KubeObject) =>
      [
        ...Object.keys(object?.metadata.labels ?? {}),
        ...Object.keys(object?.metadata.annotations ?? {}),
      ].filter(key => key.startsWith('propagationpolicy.karmada.io/'))
    expect(marks(await template('web'))).toEqual([])
    expect(marks(await bindingOf('web'))).toEqual([])
    expect(await inMember('m2', 'web')).toBeDefined()
    await ensure(control(), POLICIES, policyFor('Deployment', 'web', duplicated('m1')))
    await eventually(
      'all nine replicas in m1',
      async () => (await inMember('m1', 'web'))?.spec?.replicas === 9,
    )
    await eventually(
      'nothing in m2 and m3',
      async () => !(await inMember('m2', 'web')) && !(await inMember('m3', 'web')),
    )
  })

  it('is deleted in its members, with its Works', async () => {
    const binding = await bindingOf('web')
    await remove(control(), DEPLOYMENTS, { namespace: 'default', name: 'web' })
    await eventually('binding, works and object to be gone', async () => {
      const gone = [await bindingOf('web'), await inMember('m1', 'web')].every(one => one === undefined)
      return gone && (await worksOf(binding as Binding)).length === 0
    })
  })
})

describe('propagation', () => {
  it('writes nothing while nothing changes', async () => {
    await ensure(control(), POLICIES, policyFor('Deployment', 'calm', duplicated('m1')))
    await ensure(control(), DEPLOYMENTS, deployment('calm', 1))
    await eventually('it to be applied', () => isEverywhere('calm'))
    const revisions = async () =>
      Promise.all(
        [control(), member('m1')].map(async api => {
          const list = await api.request<KubeList<KubeObject>>({
            method: 'GET',
            path: resourcePath(DEPLOYMENTS),
          })
          return list.metadata.resourceVersion
        }),
      )
    // What was set in motion before may still be written; what comes with every probe would be there in every stretch.
    await eventually('a stretch of six probes without a write', async () => {
      const before = await revisions()
      await probesOf('m1', 6)
      return (await revisions()).every((revision, at) => revision === before[at])
    })
  })

  it('includes a ConfigMap and a Service that existed before their policy', async () => {
    await ensure(control(), CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name: 'settings' },
      data: { color: 'blue' },
    } as KubeObject)
    await ensure(control(), SERVICES, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace: 'default', name: 'front' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
    } as KubeObject)
    await ensure(control(), POLICIES, policyFor('ConfigMap', 'settings', duplicated('m1', 'm2')))
    await ensure(control(), POLICIES, policyFor('Service', 'front', duplicated('m1')))
    await eventually('both ConfigMaps', async () => {
      const found = await Promise.all(['m1', 'm2'].map(name => inMember(name, 'settings', CONFIG_MAPS)))
      return found.every(one => (one as { data?: { color?: string } } | undefined)?.data?.color === 'blue')
    })
    await eventually('the Service', () => inMember('m1', 'front', SERVICES))
  })

  it('does not change an object that a member had before, unless the policy overwrites', async () => {
    await ensure(member('m3'), DEPLOYMENTS, deployment('old', 1))
    await ensure(control(), POLICIES, policyFor('Deployment', 'old', duplicated('m3')))
    await ensure(control(), DEPLOYMENTS, deployment('old', 2))
    const item = await eventually('the refusal', async () => {
      const found = (await bindingOf('old'))?.status?.aggregatedStatus?.[0]
      return found?.appliedMessage ? found : undefined
    })
    expect(item.appliedMessage).toContain(
      'resource(kind=Deployment, default/old) already exists in the cluster m3',
    )
    expect((await inMember('m3', 'old'))?.spec?.replicas).toBe(1)
    await update<Resource>(control(), POLICIES, { namespace: 'default', name: 'p-old' }, one => ({
      ...one,
      spec: { ...one.spec, conflictResolution: 'Overwrite' },
    }))
    await eventually('two replicas', async () => (await inMember('m3', 'old'))?.spec?.replicas === 2)
  })

  it('handles a cluster-scoped object with a ClusterPropagationPolicy and a ClusterResourceBinding', async () => {
    const wide = {
      apiVersion: 'policy.karmada.io/v1alpha1',
      kind: 'ClusterPropagationPolicy',
      metadata: { name: 'readers' },
      spec: {
        resourceSelectors: [
          { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'app:reader' },
        ],
        placement: duplicated('m1'),
      },
    } as KubeObject
    await ensure(control(), CLUSTER_ROLES, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'app:reader' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    } as KubeObject)
    await ensure(control(), policy('clusterpropagationpolicies'), wide)
    await eventually('the role', () => read(member('m1'), CLUSTER_ROLES, { name: 'app:reader' }))
    const place = { name: 'app.reader-clusterrole' }
    const found = await read<Binding>(control(), BINDINGS.clusterWide.type, place)
    expect(found?.metadata.finalizers).toEqual(['karmada.io/cluster-resource-binding-controller'])
    await remove(control(), CLUSTER_ROLES, { name: 'app:reader' })
    await eventually(
      'the role to leave',
      async () => !(await read(member('m1'), CLUSTER_ROLES, { name: 'app:reader' })),
    )
    await eventually(
      'the binding to go',
      async () => !(await read(control(), BINDINGS.clusterWide.type, place)),
    )
  })

  it('stops where its policy suspends it, and reports that', async () => {
    const held = policyFor('Deployment', 'held', duplicated('m1'), { suspension: { dispatching: true } })
    await ensure(control(), POLICIES, held)
    await ensure(control(), DEPLOYMENTS, deployment('held', 1))
    await eventually('the work to say so', async () => {
      const found = await bindingOf('held')
      const [one] = found ? await worksOf(found) : []
      return conditionOf(one?.status?.conditions, 'Dispatching')?.reason === 'SuspendDispatching'
    })
    expect(await inMember('m1', 'held')).toBeUndefined()
    await update<Resource>(control(), POLICIES, { namespace: 'default', name: 'p-held' }, one => {
      const { suspension: _, ...spec } = one.spec ?? {}
      return { ...one, spec }
    })
    await eventually('it in m1', () => inMember('m1', 'held'))
  })

  it('reports why no cluster fits, and schedules when one does', async () => {
    await ensure(
      control(),
      POLICIES,
      policyFor('Deployment', 'picky', {
        clusterAffinity: { labelSelector: { matchLabels: { disk: 'ssd' } } },
      }),
    )
    await ensure(control(), DEPLOYMENTS, deployment('picky', 1))
    const condition = await eventually('the refusal', async () =>
      conditionOf((await bindingOf('picky'))?.status?.conditions, 'Scheduled'),
    )
    expect(condition).toMatchObject({ status: 'False', reason: 'NoClusterFit' })
    expect(condition.message).toContain('0/3 clusters are available')
    await update<Cluster>(control(), CLUSTERS, { name: 'm2' }, one => ({
      ...one,
      metadata: { ...one.metadata, labels: { ...one.metadata.labels, disk: 'ssd' } },
    }))
    await eventually('it in m2', () => inMember('m2', 'picky'))
  })

  it('creates a namespace in every member, and deletes it there with its content', async () => {
    await ensure(control(), NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } })
    for (const name of MEMBERS)
      await eventually(`shop in ${name}`, () => read(member(name), NAMESPACES, { name: 'shop' }))
    await ensure(control(), POLICIES, policyFor('Deployment', 'till', {}, {}, 'shop'))
    await ensure(control(), DEPLOYMENTS, deployment('till', 1, 'shop'))
    for (const name of MEMBERS)
      await eventually(`till in ${name}`, () => inMember(name, 'till', DEPLOYMENTS, 'shop'))
    await remove(control(), NAMESPACES, { name: 'shop' })
    for (const name of MEMBERS)
      await eventually(
        `shop to leave ${name}`,
        async () => !(await read(member(name), NAMESPACES, { name: 'shop' })),
      )
    await eventually('shop to be gone', async () => !(await read(control(), NAMESPACES, { name: 'shop' })))
  })

  it('ends in a member that is unjoined, with its works and watches', async () => {
    await ensure(control(), POLICIES, policyFor('Deployment', 'mobile', duplicated('m1', 'm3')))
    await ensure(control(), DEPLOYMENTS, deployment('mobile', 1))
    await eventually('it in both', () => isEverywhere('mobile'))
    await unjoin({ control: control(), name: 'm3' })
    await eventually('one cluster in the binding', async () => {
      const clusters = (await bindingOf('mobile'))?.spec.clusters
      return clusters?.length === 1 && clusters[0]?.name === 'm1'
    })
    await eventually('it to be applied', () => isEverywhere('mobile'))
    const { server } = world.members.get('m3') as Member
    let asked = 0
    const stop = server.interrupt({
      kind: 'answer',
      matches: ({ query }) => {
        if (query.get('labelSelector')?.startsWith('karmada.io/managed')) asked++
        return false
      },
      response: { code: 200, body: { text: '', contentType: 'text/plain' } },
    })
    // Whoever still watches what Karmada made there opens the watch again, each time.
    await eventually('nobody to watch it any more', async () => {
      asked = 0
      server.interrupt({ kind: 'endWatches' })
      await probesOf('m1', 10)
      return asked === 0
    })
    stop()
  })
})

/** Resolves after so many probes of a member by the control plane. */
async function probesOf(name: string, count: number): Promise<void> {
  let seen = 0
  const stop = (world.members.get(name) as Member).server.interrupt({
    kind: 'answer',
    matches: request => {
      if (request.path === '/readyz') seen++
      return false
    },
    response: { code: 200, body: { text: '', contentType: 'text/plain' } },
  })
  await eventually('probes', () => seen >= count)
  stop()
}
