import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { REBALANCERS, type WorkloadRebalancer } from '../../../karmada/eviction/rebalance.js'
import { CLUSTERS, type Cluster, type Taint } from '../../../karmada/objects/cluster.js'
import type { PropagationPolicy } from '../../../karmada/objects/propagation-policy.js'
import { BINDINGS, type Binding } from '../../../karmada/objects/resource-binding.js'
import { type KubeList, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { ensure, read, remove, update } from '../../../playground/client/write.js'
import { conditionOf } from '../../../playground/objects/conditions.js'
import { DEPLOYMENTS, EVENTS } from '../../../playground/objects/core-types.js'
import { eventually } from '../eventually.js'
import { deployment, POLICIES, PropagationWorld, policyFor, policyType } from './propagation-world.js'

let world: PropagationWorld
/** How far the control plane's clock is ahead, milliseconds. */
let ahead = 0
const clock = () => Date.now() + ahead
beforeAll(async () => {
  // More room than m2 has, whatever runs there: so m1 is chosen whenever it can be.
  const nodes = Array.from({ length: 6 }, (_, at) => ({
    name: `node-${at}`,
    cpu: '4',
    memory: '16Gi',
    pods: '110',
  }))
  world = await PropagationWorld.start(['m1', 'm2'], { clock }, { m1: nodes })
})
afterEach(() => setTaints('m1', []))
afterAll(() => world.close())

const place = (name: string) => ({ namespace: 'default', name })
const setTaints = (name: string, taints: readonly Taint[]) =>
  update<Cluster>(world.control, CLUSTERS, { name }, one => ({ ...one, spec: { ...one.spec, taints } }))
const eventsOf = async (name: string, reason: string) => {
  type Event = KubeObject & {
    readonly reason: string
    readonly message: string
    readonly involvedObject: { readonly name: string }
  }
  const { items } = await world.control.request<KubeList<Event>>({
    method: 'GET',
    path: resourcePath(EVENTS),
  })
  return items.filter(one => one.involvedObject.name === name && one.reason === reason)
}
const DOWN: Taint = { key: 'down', effect: 'NoExecute' }
/** One cluster, m1 while it can take it. */
const one = {
  spreadConstraints: [{ spreadByField: 'cluster', maxGroups: 1 }],
}
const propagate = async (name: string, placement: object = one, rest: object = {}) => {
  await ensure(world.control, POLICIES, policyFor('Deployment', name, placement, rest))
  await ensure(world.control, DEPLOYMENTS, deployment(name, 2))
}
const holders = async (name: string) => {
  const found = await Promise.all(['m1', 'm2'].map(cluster => world.inMember(cluster, name)))
  return ['m1', 'm2'].filter((_, at) => found[at]).join()
}
const runsIn = (name: string, clusters: string) =>
  eventually(`${name} in ${clusters}`, async () => (await holders(name)) === clusters)
const isHealthyIn = (name: string, cluster: string) =>
  eventually(`${name} healthy in ${cluster}`, async () => {
    const items = (await world.binding(name))?.status?.aggregatedStatus
    return items?.some(({ clusterName, health }) => clusterName === cluster && health === 'Healthy')
  })
const tasks = async (name: string) => (await world.binding(name))?.spec.gracefulEvictionTasks ?? []
const targets = async (name: string) =>
  ((await world.binding(name))?.spec.clusters ?? []).map(cluster => cluster.name).join()

describe('a NoExecute taint', () => {
  it('moves applications that do not tolerate it, and deletes them there once they run elsewhere', async () => {
    await propagate('web')
    await isHealthyIn('web', 'm1')
    await setTaints('m1', [DOWN])
    await runsIn('web', 'm2')
    await eventually('no task to be left', async () => (await tasks('web')).length === 0)
    expect(await targets('web')).toBe('m2')
    expect((await world.cluster('m1'))?.spec.taints).toEqual([
      { ...DOWN, timeAdded: expect.stringMatching(/^\d{4}-.*Z$/) },
    ])
  })

  it('does not move them back when it is removed', async () => {
    await propagate('later')
    await isHealthyIn('later', 'm1')
    expect(await targets('web')).toBe('m2')
  })

  it('keeps workloads that tolerate it, until the toleration ends', async () => {
    const tolerating = (tolerationSeconds?: number) => ({
      ...one,
      clusterTolerations: [
        { key: 'down', operator: 'Exists', ...(tolerationSeconds !== undefined && { tolerationSeconds }) },
      ],
    })
    await propagate('patient', tolerating())
    await propagate('hesitant', tolerating(3_600))
    await isHealthyIn('patient', 'm1')
    await isHealthyIn('hesitant', 'm1')
    await setTaints('m1', [DOWN])
    await runsIn('later', 'm2')
    expect(await targets('hesitant')).toBe('m1')
    ahead += 3_601_000
    // Karmada looks again by itself within ten seconds, and at once when the cluster changes.
    await setTaints('m1', [
      ...((await world.cluster('m1'))?.spec.taints ?? []),
      { key: 'x', effect: 'NoSchedule' },
    ])
    await runsIn('hesitant', 'm2')
    expect(await targets('patient')).toBe('m1')
  })

  it('keeps workloads by the tolerations of the placement that they were last scheduled for', async () => {
    const clusterTolerations = [{ key: 'down', operator: 'Exists' }]
    const placed = (placement: object) =>
      update<PropagationPolicy>(world.control, POLICIES, place('p-settled'), policy => ({
        ...policy,
        spec: { ...policy.spec, placement },
      }))
    await propagate('settled', { clusterAffinity: { clusterNames: ['m1'] }, clusterTolerations })
    await isHealthyIn('settled', 'm1')
    // Two of one cluster: nothing can be scheduled so, and the result stays.
    await placed({
      clusterAffinity: { clusterNames: ['m2'] },
      spreadConstraints: [{ spreadByField: 'cluster', minGroups: 2, maxGroups: 2 }],
    })
    await eventually('a failure', async () => {
      const { conditions } = (await world.binding('settled'))?.status ?? {}
      return conditionOf(conditions, 'Scheduled')?.status === 'False'
    })
    await propagate('witness')
    await isHealthyIn('witness', 'm1')
    await setTaints('m1', [DOWN])
    await runsIn('witness', 'm2')
    expect(await targets('settled')).toBe('m1')
    await placed({ clusterAffinity: { clusterNames: ['m1'] } })
    await eventually('the scheduling', async () => {
      const { conditions } = (await world.binding('settled'))?.status ?? {}
      return conditionOf(conditions, 'Scheduled')?.status === 'True'
    })
    await setTaints('m1', [DOWN, { key: 'x', effect: 'NoSchedule' }])
    await eventually('an eviction', async () => (await tasks('settled')).length === 1)
    expect(await targets('settled')).toBe('')
  })

  it('keeps workloads that cannot run elsewhere, with a pending task', async () => {
    await propagate('bound', { clusterAffinity: { clusterNames: ['m1'] } })
    await isHealthyIn('bound', 'm1')
    await setTaints('m1', [DOWN])
    const [task] = await eventually('a task that has begun', async () => {
      const found = await tasks('bound')
      return found[0]?.creationTimestamp ? found : undefined
    })
    expect(task).toMatchObject({
      fromCluster: 'm1',
      reason: 'TaintUntolerated',
      producer: 'TaintManager',
      purgeMode: 'Gracefully',
      replicas: 2,
    })
    expect(await holders('bound')).toBe('m1')
    await update<Binding>(world.control, BINDINGS.namespaced.type, place('bound-deployment'), binding => ({
      ...binding,
      spec: {
        ...binding.spec,
        gracefulEvictionTasks: (binding.spec.gracefulEvictionTasks ?? []).map(found => ({
          ...found,
          suppressDeletion: false,
        })),
      },
    }))
    await runsIn('bound', '')
  })

  it('purges first when the policy says so', async () => {
    await propagate('brisk', one, { failover: { cluster: { purgeMode: 'Directly' } } })
    await isHealthyIn('brisk', 'm1')
    await setTaints('m1', [DOWN])
    const seen = new Set<string>()
    await eventually('brisk in m2', async () => {
      const found = await holders('brisk')
      seen.add(found)
      return found === 'm2'
    })
    expect(seen).not.toContain('m1,m2')
  })
})

describe('a ClusterTaintPolicy', () => {
  const policy = {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'ClusterTaintPolicy',
    metadata: { name: 'when-down' },
    spec: {
      targetClusters: { clusterNames: ['m1'] },
      addOnConditions: [{ conditionType: 'Ready', operator: 'NotIn', statusValues: ['True'] }],
      removeOnConditions: [{ conditionType: 'Ready', operator: 'In', statusValues: ['True'] }],
      taints: [{ key: 'not-ready', effect: 'NoExecute' }],
    },
  } as KubeObject

  it('moves applications off a failing member, and removes its taint when it is back', async () => {
    await propagate('mover')
    await isHealthyIn('mover', 'm1')
    await ensure(world.control, policyType('clustertaintpolicies'), policy)
    const broken = world.members.get('m1')?.server.interrupt({
      kind: 'answer',
      matches: ({ path }) => path === '/readyz' || path === '/healthz',
      response: { code: 500, body: { text: 'down', contentType: 'text/plain' } },
    })
    await isHealthyIn('mover', 'm2')
    expect(await targets('mover')).toBe('m2')
    broken?.()
    await eventually('no taints to be left', async () => !(await world.cluster('m1'))?.spec.taints)
    // What was to leave it while it was out of reach leaves now.
    await runsIn('mover', 'm2')
    await remove(world.control, policyType('clustertaintpolicies'), policy.metadata)
    // Told once that it came, and once that it went; Karmada's own taint may be there at either time.
    const told = (await eventsOf('m1', 'TaintClusterSucceed')).map(({ message }) => message)
    const isThere = (message: string) => message.includes('{Key:not-ready,Effect:NoExecute}')
    expect(told.map(isThere).sort()).toEqual([false, true])
    expect(told.find(isThere)).toMatch(
      /^Update Cluster\(m1\) with taints\(cluster now has taints\(\[.+\]\)\) succeed$/,
    )
  })
})

it('a ClusterTaintPolicy of another cluster brings back no taint that was taken away by hand', async () => {
  const always = (cluster: string) =>
    ({
      apiVersion: 'policy.karmada.io/v1alpha1',
      kind: 'ClusterTaintPolicy',
      metadata: { name: `always-${cluster}` },
      spec: {
        targetClusters: { clusterNames: [cluster] },
        addOnConditions: [{ conditionType: 'Ready', operator: 'In', statusValues: ['True'] }],
        taints: [{ key: `seen-${cluster}`, effect: 'NoSchedule' }],
      },
    }) as KubeObject
  const type = policyType('clustertaintpolicies')
  const keysOf = async (cluster: string) =>
    (await world.cluster(cluster))?.spec.taints?.map(({ key }) => key) ?? []
  const isTainted = (cluster: string) =>
    eventually(`${cluster} to be tainted`, async () => (await keysOf(cluster)).includes(`seen-${cluster}`))
  const untaint = (cluster: string) =>
    update<Cluster>(world.control, CLUSTERS, { name: cluster }, one => ({
      ...one,
      spec: { ...one.spec, taints: [] },
    }))
  await ensure(world.control, type, always('m1'))
  await isTainted('m1')
  await untaint('m1')
  await ensure(world.control, type, always('m2'))
  await isTainted('m2')
  expect(await keysOf('m1')).toEqual([])
  for (const cluster of ['m1', 'm2']) {
    await remove(world.control, type, { name: `always-${cluster}` })
    await untaint(cluster)
  }
})

describe('an application that is unhealthy in a member', () => {
  it('is evicted after the toleration of its policy', async () => {
    const application = { decisionConditions: { tolerationSeconds: 0 }, purgeMode: 'Never' }
    await propagate('sick', one, { propagateDeps: true, failover: { application } })
    await isHealthyIn('sick', 'm1')
    await ensure(world.control, policyType('overridepolicies'), noRoomIn('m1', 'sick'))
    const [task] = await eventually('a task', async () => {
      const found = await tasks('sick')
      return found.length > 0 ? found : undefined
    })
    expect(task).toMatchObject({
      fromCluster: 'm1',
      reason: 'ApplicationFailure',
      producer: 'resource-binding-application-failover-controller',
      purgeMode: 'Never',
      suppressDeletion: true,
    })
    await isHealthyIn('sick', 'm2')
    // The policy keeps the old one for somebody to look at.
    expect(await holders('sick')).toBe('m1,m2')
  })
})

const HUGE = { requests: { cpu: '1000' } }
/** In one member the pods ask for more than any node has. */
const noRoomIn = (cluster: string, name: string) =>
  ({
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'OverridePolicy',
    metadata: { namespace: 'default', name: `o-${name}` },
    spec: {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name }],
      overrideRules: [
        {
          targetCluster: { clusterNames: [cluster] },
          overriders: {
            plaintext: [{ path: '/spec/template/spec/containers/0/resources', operator: 'add', value: HUGE }],
          },
        },
      ],
    },
  }) as KubeObject

describe('a WorkloadRebalancer', () => {
  const rebalancer = (name: string, workload: string, rest: object = {}) =>
    ({
      apiVersion: 'apps.karmada.io/v1alpha1',
      kind: 'WorkloadRebalancer',
      metadata: { name },
      spec: {
        workloads: [{ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: workload }],
        ...rest,
      },
    }) as KubeObject
  const statusOf = async (name: string) =>
    (await read<WorkloadRebalancer>(world.control, REBALANCERS, { name }))?.status

  it('reports a missing binding, and ends', async () => {
    await ensure(world.control, REBALANCERS, rebalancer('nothing', 'absent'))
    const status = await eventually('its status', () => statusOf('nothing'))
    expect(status).toMatchObject({
      observedWorkloads: [{ result: 'Failed', reason: 'ReferencedBindingNotFound' }],
      observedGeneration: 1,
      finishTime: expect.any(String),
    })
  })

  it('triggers a new scheduling, and is deleted after its TTL', async () => {
    const before = (await world.binding('patient'))?.status?.lastScheduledTime ?? ''
    await eventually(
      'the clock to move on',
      () => `${new Date(clock()).toISOString().slice(0, 19)}Z` > before,
    )
    await ensure(world.control, REBALANCERS, rebalancer('again', 'patient', { ttlSecondsAfterFinished: 0 }))
    await eventually('a newer scheduling', async () => {
      const found = await world.binding('patient')
      return found?.spec.rescheduleTriggeredAt && (found.status?.lastScheduledTime ?? '') > before
    })
    await eventually('the rebalancer to be gone', async () => (await statusOf('again')) === undefined)
  })
})
