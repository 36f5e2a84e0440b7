import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import { claimed } from '../../../karmada/matching/claim.js'
import type { PropagationPolicy } from '../../../karmada/objects/propagation-policy.js'
import { BINDINGS, type Binding } from '../../../karmada/objects/resource-binding.js'
import { type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { ensure, read, remove, update } from '../../../playground/client/write.js'
import { CLUSTER_ROLES, DEPLOYMENTS } from '../../../playground/objects/core-types.js'
import type { KubeApi, KubeRequest } from '../../../ports/kube-api.js'
import { eventually } from '../eventually.js'
import {
  CLUSTER_POLICIES,
  deployment,
  duplicated,
  POLICIES,
  PropagationWorld,
  policyFor,
} from './propagation-world.js'

let world: PropagationWorld
/** What is done once before the controllers next read this path. */
let before: { readonly path: string; readonly act: () => Promise<unknown> } | undefined
beforeAll(async () => {
  const through = (control: KubeApi): KubeApi => ({
    ...control,
    request: async <T>(request: KubeRequest) => {
      const due = before?.path === request.path && request.method === 'GET' ? before : undefined
      if (due) {
        before = undefined
        await due.act()
      }
      return control.request<T>(request)
    },
    watch: request => control.watch(request),
    close: () => control.close(),
  })
  world = await PropagationWorld.start(['m1', 'm2'], { through })
})
afterAll(() => world.close())

const place = (name: string) => ({ namespace: 'default', name })
const policy = (name: string, workload: string, placement: object, rest: object = {}): KubeObject => ({
  ...policyFor('Deployment', workload, placement, rest),
  metadata: place(name),
})
const change = (name: string, spec: object) =>
  update<Resource>(world.control, POLICIES, place(name), one => ({ ...one, spec: { ...one.spec, ...spec } }))
const holderOf = async (name: string) =>
  (await world.template(name))?.metadata.annotations?.['propagationpolicy.karmada.io/name']
const isHeldBy = (name: string, holder: string) =>
  eventually(`${name} to be held by ${holder}`, async () => (await holderOf(name)) === holder)
const targets = async (name: string) =>
  ((await world.binding(name))?.spec.clusters ?? []).map(cluster => cluster.name).join()
const goesTo = (name: string, clusters: string) =>
  eventually(`${name} to go to ${clusters}`, async () => (await targets(name)) === clusters)

describe('preemption', () => {
  it('takes a workload over from a policy of lower priority, and returns it when the policy is deleted', async () => {
    await ensure(world.control, POLICIES, policy('first', 'web', duplicated('m1'), { priority: 1 }))
    await ensure(world.control, DEPLOYMENTS, deployment('web', 1))
    await goesTo('web', 'm1')
    await ensure(world.control, POLICIES, policy('polite', 'web', duplicated('m2'), { priority: 9 }))
    await ensure(
      world.control,
      POLICIES,
      policy('rude', 'web', duplicated('m2'), { priority: 5, preemption: 'Always' }),
    )
    await isHeldBy('web', 'rude')
    await goesTo('web', 'm2')
    const binding = await world.binding('web')
    expect(binding?.metadata.annotations?.['propagationpolicy.karmada.io/name']).toBe('rude')
    await remove(world.control, POLICIES, place('polite'))
    await remove(world.control, POLICIES, place('rude'))
    await isHeldBy('web', 'first')
    await goesTo('web', 'm1')
  })

  it('happens when the priority of the other policy falls', async () => {
    await ensure(world.control, POLICIES, policy('strong', 'fall', duplicated('m1'), { priority: 7 }))
    await ensure(world.control, DEPLOYMENTS, deployment('fall', 1))
    await isHeldBy('fall', 'strong')
    await ensure(
      world.control,
      POLICIES,
      policy('eager', 'fall', duplicated('m2'), { priority: 5, preemption: 'Always' }),
    )
    await change('strong', { priority: 3 })
    await isHeldBy('fall', 'eager')
  })

  it('is not undone by a policy that looked at the workload before it was taken', async () => {
    await ensure(world.control, POLICIES, policy('tardy', 'torn', duplicated('m1'), { priority: 7 }))
    const fast = policy('fast', 'torn', duplicated('m2'), { priority: 5, preemption: 'Always' })
    await ensure(world.control, POLICIES, fast)
    await ensure(world.control, DEPLOYMENTS, deployment('torn', 1))
    await goesTo('torn', 'm1')
    const taken = new Promise<void>((resolve, reject) => {
      const act = async () => {
        const stored = (await read(world.control, POLICIES, place('fast'))) as PropagationPolicy
        await update<Resource>(world.control, DEPLOYMENTS, place('torn'), one => claimed(one, stored))
      }
      before = {
        path: resourcePath(DEPLOYMENTS, place('torn')),
        act: () => act().then(resolve, reject),
      }
    })
    await change('tardy', { placement: { clusterAffinity: { clusterNames: ['m1', 'm2'] } } })
    await taken
    await goesTo('torn', 'm2')
    expect(await holderOf('torn')).toBe('fast')
    expect((await world.binding('torn'))?.metadata.annotations?.['propagationpolicy.karmada.io/name']).toBe(
      'fast',
    )
  })

  it('takes a workload over from a cluster policy, whatever its priority', async () => {
    const wide = {
      ...policy('wide', 'broad', duplicated('m1'), { priority: 99 }),
      kind: 'ClusterPropagationPolicy',
      metadata: { name: 'wide' },
    }
    await ensure(world.control, CLUSTER_POLICIES, wide)
    await ensure(world.control, DEPLOYMENTS, deployment('broad', 1))
    await goesTo('broad', 'm1')
    await ensure(world.control, POLICIES, policy('near', 'broad', duplicated('m2'), { preemption: 'Always' }))
    await goesTo('broad', 'm2')
    const { annotations = {}, labels = {} } = (await world.template('broad'))?.metadata ?? {}
    const keys = [...Object.keys(annotations), ...Object.keys(labels)]
    expect(keys.filter(key => key.startsWith('clusterpropagationpolicy'))).toEqual([])
    await remove(world.control, CLUSTER_POLICIES, { name: 'wide' })
  })
})

describe('a lazy policy', () => {
  const lazy = (placement: object) => policy('lazy', 'calm', placement, { activationPreference: 'Lazy' })

  it('claims present templates, and places them with their next change', async () => {
    await ensure(world.control, DEPLOYMENTS, deployment('calm', 1))
    await ensure(world.control, POLICIES, lazy(duplicated('m1')))
    await isHeldBy('calm', 'lazy')
    // Another policy of the same kinds is through by then.
    await ensure(world.control, POLICIES, policy('brisk', 'swift', duplicated('m1')))
    await ensure(world.control, DEPLOYMENTS, deployment('swift', 1))
    await goesTo('swift', 'm1')
    expect(await world.binding('calm')).toBeUndefined()
    await update<Resource>(world.control, DEPLOYMENTS, place('calm'), one => ({
      ...one,
      spec: { ...one.spec, replicas: 2 },
    }))
    await goesTo('calm', 'm1')
  })

  it('changes nothing until the template changes', async () => {
    await change('lazy', { placement: duplicated('m2') })
    await change('brisk', { placement: duplicated('m2') })
    await goesTo('swift', 'm2')
    expect(await targets('calm')).toBe('m1')
    await update<Resource>(world.control, DEPLOYMENTS, place('calm'), one => ({
      ...one,
      metadata: { ...one.metadata, labels: { ...one.metadata.labels, touched: 'yes' } },
    }))
    await goesTo('calm', 'm2')
  })

  it('changes nothing when the binding that it made changes', async () => {
    await change('lazy', { placement: duplicated('m1') })
    await update<Binding>(world.control, BINDINGS.namespaced.type, place('calm-deployment'), one => ({
      ...one,
      metadata: { ...one.metadata, annotations: { ...one.metadata.annotations, seen: 'yes' } },
    }))
    // Another policy comes after that, and is through.
    await ensure(world.control, DEPLOYMENTS, deployment('after', 1))
    await ensure(world.control, POLICIES, policy('after', 'after', duplicated('m1')))
    await goesTo('after', 'm1')
    const { metadata, spec } = (await world.binding('calm')) ?? {}
    expect(metadata?.annotations).toMatchObject({ seen: 'yes' })
    expect(JSON.stringify(spec?.placement)).toContain('m2')
  })

  it('places templates that are created later at once', async () => {
    await ensure(
      world.control,
      POLICIES,
      policy('lazy-too', 'fresh', duplicated('m1'), { activationPreference: 'Lazy' }),
    )
    await ensure(world.control, DEPLOYMENTS, deployment('fresh', 1))
    await goesTo('fresh', 'm1')
  })
})

describe('what a lazy policy claimed, and has not placed,', () => {
  const lazily = (name: string) =>
    policy(`lazy-${name}`, name, duplicated('m1'), { activationPreference: 'Lazy' })
  const touched = (name: string) =>
    update<Resource>(world.control, DEPLOYMENTS, place(name), one => ({
      ...one,
      spec: { ...one.spec, replicas: 3 },
    }))
  const claimedLazily = async (name: string) => {
    await ensure(world.control, DEPLOYMENTS, deployment(name, 1))
    await ensure(world.control, POLICIES, lazily(name))
    await isHeldBy(name, `lazy-${name}`)
  }

  it('stays where it is when another policy comes that selects it', async () => {
    await claimedLazily('idle')
    await ensure(world.control, POLICIES, policy('loud', 'idle', duplicated('m2'), { preemption: 'Always' }))
    await ensure(world.control, DEPLOYMENTS, deployment('other', 1))
    await ensure(world.control, POLICIES, policy('later', 'other', duplicated('m1')))
    await goesTo('other', 'm1')
    expect(await world.binding('idle')).toBeUndefined()
    await touched('idle')
    await goesTo('idle', 'm1')
  })

  it('stays claimed when the policy selects it no more, as Karmada looks for bindings to let go of', async () => {
    await claimedLazily('left')
    await change('lazy-left', {
      resourceSelectors: [
        { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'nothing' },
      ],
    })
    await change('later', { placement: duplicated('m2') })
    await goesTo('other', 'm2')
    expect(await holderOf('left')).toBe('lazy-left')
  })
})

it('a binding that appears is brought in line with the policy of its template', async () => {
  // Held by a policy that was lazy then, and has no binding yet.
  await ensure(world.control, DEPLOYMENTS, deployment('late', 1))
  await ensure(
    world.control,
    POLICIES,
    policy('slow', 'late', duplicated('m1'), { activationPreference: 'Lazy' }),
  )
  await isHeldBy('late', 'slow')
  await update<Resource>(world.control, POLICIES, place('slow'), ({ spec = {}, ...one }) => {
    const { activationPreference: _, ...rest } = spec as Record<string, unknown>
    return { ...one, spec: rest }
  })
  await ensure(world.control, BINDINGS.namespaced.type, {
    apiVersion: 'work.karmada.io/v1alpha2',
    kind: 'ResourceBinding',
    metadata: place('late-deployment'),
    spec: { resource: { apiVersion: 'apps/v1', kind: 'Deployment', ...place('late') } },
  } as KubeObject)
  await goesTo('late', 'm1')
})

it('a cluster policy that changes moves what has no namespace', async () => {
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'reader' },
  }
  const resourceSelectors = [{ apiVersion: role.apiVersion, kind: role.kind, name: 'reader' }]
  const wide = {
    ...policy('roles', 'reader', duplicated('m1'), { resourceSelectors }),
    kind: 'ClusterPropagationPolicy',
    metadata: { name: 'roles' },
  }
  const isIn = (member: string, is: boolean) =>
    eventually(`the role to be in ${member}: ${is}`, async () => {
      const found = await read<KubeObject>(world.member(member), CLUSTER_ROLES, { name: 'reader' })
      return (found !== undefined) === is
    })
  await ensure(world.control, CLUSTER_ROLES, role)
  await ensure(world.control, CLUSTER_POLICIES, wide)
  await isIn('m1', true)
  await update<Resource>(world.control, CLUSTER_POLICIES, { name: 'roles' }, one => ({
    ...one,
    spec: { ...one.spec, placement: duplicated('m2') },
  }))
  await isIn('m2', true)
  await isIn('m1', false)
})

describe('a claim of a deleted policy', () => {
  it('is removed, and the next policy that selects the template claims it', async () => {
    const stale = deployment('orphan', 1)
    await ensure(world.control, DEPLOYMENTS, {
      ...stale,
      metadata: {
        ...stale.metadata,
        labels: { 'propagationpolicy.karmada.io/permanent-id': 'nobody' },
        annotations: {
          'propagationpolicy.karmada.io/namespace': 'default',
          'propagationpolicy.karmada.io/name': 'gone',
        },
      },
    })
    await ensure(world.control, POLICIES, policy('heir', 'orphan', duplicated('m1')))
    await isHeldBy('orphan', 'heir')
    await goesTo('orphan', 'm1')
  })
})

describe('suspension', () => {
  it('of scheduling keeps the placement, until it is lifted', async () => {
    await ensure(world.control, POLICIES, policy('hold', 'still', duplicated('m1')))
    await ensure(world.control, DEPLOYMENTS, deployment('still', 1))
    await goesTo('still', 'm1')
    const suspend = (scheduling: boolean) =>
      update<Binding>(world.control, BINDINGS.namespaced.type, place('still-deployment'), one => ({
        ...one,
        spec: { ...one.spec, suspension: { scheduling } },
      }))
    await suspend(true)
    await change('hold', { placement: duplicated('m2') })
    await eventually('the placement in the binding', async () => {
      const placement = (await world.binding('still'))?.spec.placement
      return placement?.clusterAffinity?.clusterNames?.join() === 'm2'
    })
    await goesTo('swift', 'm2')
    expect(await targets('still')).toBe('m1')
    await suspend(false)
    await goesTo('still', 'm2')
  })

  it('of dispatching to one cluster does not affect the others', async () => {
    const dispatchingOnClusters = { clusterNames: ['m1'] }
    await ensure(
      world.control,
      POLICIES,
      policy('half', 'partly', duplicated('m1', 'm2'), { suspension: { dispatchingOnClusters } }),
    )
    await ensure(world.control, DEPLOYMENTS, deployment('partly', 1))
    await eventually('it in m2', () => world.inMember('m2', 'partly'))
    expect(await world.inMember('m1', 'partly')).toBeUndefined()
  })
})

describe('preserveResourcesOnDeletion', () => {
  it('keeps the object in the member, without Karmada’s labels, when its template is deleted', async () => {
    await ensure(
      world.control,
      POLICIES,
      policy('keep', 'kept', duplicated('m1'), { preserveResourcesOnDeletion: true }),
    )
    await ensure(world.control, DEPLOYMENTS, deployment('kept', 1))
    await eventually('it in m1', () => world.inMember('m1', 'kept'))
    await eventually('it to be applied', () => world.isEverywhere('kept'))
    await remove(world.control, DEPLOYMENTS, place('kept'))
    await eventually('the binding to be gone', async () => !(await world.binding('kept')))
    const left = await eventually('Karmada to give it up', async () => {
      const found = await world.inMember('m1', 'kept')
      return found && !found.metadata.labels?.['karmada.io/managed'] ? found : undefined
    })
    // The label of the policy came with the template, and Karmada leaves it, too.
    expect(Object.keys(left.metadata.labels ?? {})).toEqual([
      'app',
      'propagationpolicy.karmada.io/permanent-id',
    ])
    expect(left.metadata.annotations ?? {}).not.toHaveProperty('work.karmada.io/name')
  })
})
