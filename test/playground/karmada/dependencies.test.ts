import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import { dependedByLabel } from '../../../karmada/propagation/attached-binding.js'
import type { GroupVersionResource, KubeObject } from '../../../manifests/kube.js'
import { ensure, read, remove, update } from '../../../playground/client/write.js'
import {
  CONFIG_MAPS,
  DEPLOYMENTS,
  SECRETS,
  SERVICE_ACCOUNTS,
} from '../../../playground/objects/core-types.js'
import { eventually } from '../eventually.js'
import { deployment, duplicated, POLICIES, PropagationWorld, policyFor } from './propagation-world.js'

let world: PropagationWorld
beforeAll(async () => {
  world = await PropagationWorld.start(['m1', 'm2'])
})
afterAll(() => world.close())

const object = (kind: string, name: string, rest: object = {}) =>
  ({ apiVersion: 'v1', kind, metadata: { namespace: 'default', name }, ...rest }) as KubeObject
const using = (...configMaps: string[]) => ({
  volumes: configMaps.map(name => ({ name, configMap: { name } })),
})
const place = (name: string) => ({ namespace: 'default', name })
const propagate = (name: string, clusters: readonly string[], rest: object = {}) =>
  ensure(
    world.control,
    POLICIES,
    policyFor('Deployment', name, duplicated(...clusters), { propagateDeps: true, ...rest }),
  )
const changePolicy = (name: string, spec: object) =>
  update<Resource>(world.control, POLICIES, place(`p-${name}`), one => ({
    ...one,
    spec: { ...one.spec, ...spec },
  }))
const holders = async (name: string, type: GroupVersionResource = CONFIG_MAPS) => {
  const found = await Promise.all(['m1', 'm2'].map(one => world.inMember(one, name, type)))
  return ['m1', 'm2'].filter((_, at) => found[at]).join()
}
const areIn = (name: string, clusters: string, type: GroupVersionResource = CONFIG_MAPS) =>
  eventually(`${name} in ${clusters || 'no member'}`, async () => (await holders(name, type)) === clusters)

describe('a dependency of a workload', () => {
  it('goes where the workload goes, by attached bindings', async () => {
    await ensure(world.control, CONFIG_MAPS, object('ConfigMap', 'settings', { data: { color: 'blue' } }))
    await ensure(world.control, SECRETS, object('Secret', 'key', { type: 'Opaque' }))
    await ensure(world.control, SERVICE_ACCOUNTS, object('ServiceAccount', 'robot'))
    await propagate('web', ['m1'])
    const pod = {
      ...using('settings'),
      serviceAccountName: 'robot',
      imagePullSecrets: [{ name: 'key' }],
    }
    await ensure(world.control, DEPLOYMENTS, deployment('web', 1, 'default', pod))
    await areIn('settings', 'm1')
    await areIn('key', 'm1', SECRETS)
    await areIn('robot', 'm1', SERVICE_ACCOUNTS)
    const owner = await eventually('the binding to note what is needed', async () => {
      const found = await world.binding('web')
      return found?.metadata.annotations?.['resourcebinding.karmada.io/dependencies'] ? found : undefined
    })
    expect(owner.metadata.finalizers).toContain('karmada.io/binding-dependencies-distributor')
    const attached = await world.binding('settings', 'configmap')
    expect(attached?.spec.placement).toBeUndefined()
    expect(attached?.spec.requiredBy).toEqual([
      { namespace: 'default', name: 'web-deployment', clusters: owner.spec.clusters },
    ])
    expect(Object.keys(attached?.metadata.labels ?? {})).toContain(dependedByLabel(owner))
  })

  it('is updated, and propagated as soon as it exists', async () => {
    await update<Resource>(
      world.control,
      CONFIG_MAPS,
      place('settings'),
      one => ({ ...one, data: { color: 'red' } }) as Resource,
    )
    await eventually('the new settings', async () => {
      const found = (await world.inMember('m1', 'settings', CONFIG_MAPS)) as { data?: { color?: string } }
      return found?.data?.color === 'red'
    })
    await propagate('late', ['m2'])
    await ensure(world.control, DEPLOYMENTS, deployment('late', 1, 'default', using('later')))
    await eventually('late in m2', () => world.inMember('m2', 'late'))
    await ensure(world.control, CONFIG_MAPS, object('ConfigMap', 'later'))
    await areIn('later', 'm2')
  })

  it('follows the workload to other members', async () => {
    await changePolicy('web', { placement: duplicated('m2') })
    await areIn('settings', 'm2')
    await areIn('key', 'm2', SECRETS)
  })

  it('stays while another workload needs it, and is removed with the last one', async () => {
    await propagate('shop', ['m1'])
    await ensure(world.control, DEPLOYMENTS, deployment('shop', 1, 'default', using('settings')))
    await areIn('settings', 'm1,m2')
    await remove(world.control, DEPLOYMENTS, place('web'))
    await areIn('settings', 'm1')
    await eventually('the first binding to be gone', async () => !(await world.binding('web')))
    await remove(world.control, DEPLOYMENTS, place('shop'))
    await areIn('settings', '')
    // As in Karmada: the object's binding belongs to the object, which is still there.
    const left = await world.binding('settings', 'configmap')
    expect(left?.spec.requiredBy).toBeUndefined()
    expect(left?.spec.preserveResourcesOnDeletion).toBeUndefined()
  })

  it('is removed when the workload no longer references it, or its policy no longer propagates dependencies', async () => {
    await ensure(world.control, CONFIG_MAPS, object('ConfigMap', 'one'))
    await ensure(world.control, CONFIG_MAPS, object('ConfigMap', 'two'))
    await propagate('picky', ['m1'])
    await ensure(world.control, DEPLOYMENTS, deployment('picky', 1, 'default', using('one', 'two')))
    await areIn('two', 'm1')
    await update<Resource>(world.control, DEPLOYMENTS, place('picky'), one => ({
      ...one,
      spec: (deployment('picky', 1, 'default', using('one')) as Resource).spec ?? {},
    }))
    await areIn('two', '')
    await areIn('one', 'm1')
    await changePolicy('picky', { propagateDeps: false })
    await areIn('one', '')
    await eventually('the finalizer to go', async () => {
      const { finalizers = [] } = (await world.binding('picky'))?.metadata ?? {}
      return finalizers.join() === 'karmada.io/binding-controller'
    })
  })

  it('keeps the clusters that its own policy gives it', async () => {
    await ensure(world.control, CONFIG_MAPS, object('ConfigMap', 'shared'))
    await ensure(world.control, POLICIES, policyFor('ConfigMap', 'shared', duplicated('m2')))
    await areIn('shared', 'm2')
    await propagate('guest', ['m1'])
    await ensure(world.control, DEPLOYMENTS, deployment('guest', 1, 'default', using('shared')))
    await areIn('shared', 'm1,m2')
    await remove(world.control, DEPLOYMENTS, place('guest'))
    await areIn('shared', 'm2')
    expect(await read(world.control, CONFIG_MAPS, place('shared'))).toBeDefined()
  })
})
