import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { APPLIED_PLACEMENT } from '../../../karmada/objects/resource-binding.js'
import { WORKS, type Work } from '../../../karmada/objects/work.js'
import { type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { ensure, remove, update } from '../../../playground/client/write.js'
import { conditionOf } from '../../../playground/objects/conditions.js'
import { DEPLOYMENTS } from '../../../playground/objects/core-types.js'
import { eventually } from '../eventually.js'
import {
  deployment,
  divided,
  duplicated,
  POLICIES,
  PropagationWorld,
  policyFor,
  policyType,
} from './propagation-world.js'

/** What generated histories on real Karmada showed (`npm run test:differential`), each as one row. */

const OVERRIDES = policyType('overridepolicies')

let world: PropagationWorld
beforeAll(async () => {
  world = await PropagationWorld.start(['m1', 'm2'])
})
afterAll(() => world.close())

const work = async (name: string): Promise<Work> => {
  const { items } = await world.control.request<{ items: Work[] }>({
    method: 'GET',
    path: resourcePath(WORKS, { namespace: 'karmada-es-m1' }),
  })
  const found = items.find(({ spec }) => spec.workload?.manifests?.[0]?.metadata.name === name)
  if (!found) throw new Error(`no Work of ${name} in m1`)
  return found
}
const isEverywhere = (name: string) => eventually(`${name} to be applied`, () => world.isEverywhere(name))

const override = (name: string, workload: string, value: string): KubeObject & { spec: object } => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'OverridePolicy',
  metadata: { name, namespace: 'default' },
  spec: {
    resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: workload }],
    overrideRules: [{ overriders: { labelsOverrider: [{ operator: 'add', value: { by: value } }] } }],
  },
})

describe('a binding', () => {
  it('has its placement, and the one applied last, in the order of Karmada’s fields and without empty ones', async () => {
    const placement = {
      replicaScheduling: { replicaDivisionPreference: 'Weighted', replicaSchedulingType: 'Divided' },
      clusterAffinity: { exclude: [], clusterNames: ['m1'], labelSelector: {} },
      clusterTolerations: [],
    }
    await ensure(world.control, POLICIES, policyFor('Deployment', 'ordered', placement))
    await ensure(world.control, DEPLOYMENTS, deployment('ordered', 1))
    await isEverywhere('ordered')
    const binding = await world.binding('ordered')
    const written =
      '{"clusterAffinity":{"labelSelector":{},"clusterNames":["m1"]},"replicaScheduling":{"replicaSchedulingType":"Divided","replicaDivisionPreference":"Weighted"}}'
    expect(binding?.spec.placement).toEqual(JSON.parse(written))
    expect(binding?.metadata.annotations?.[APPLIED_PLACEMENT]).toBe(written)
  })

  it('without a cluster that fits has no list of clusters, and keeps its generation', async () => {
    await ensure(world.control, POLICIES, policyFor('Deployment', 'nowhere', duplicated('elsewhere')))
    await ensure(world.control, DEPLOYMENTS, deployment('nowhere', 1))
    const binding = await eventually('nowhere to be refused', async () => {
      const found = await world.binding('nowhere')
      return conditionOf(found?.status?.conditions, 'Scheduled')?.status === 'False' ? found : undefined
    })
    expect(binding.spec).not.toHaveProperty('clusters')
    expect(binding.metadata.generation).toBe(1)
  })
})

describe('a Work', () => {
  it('says that it is not suspended and preserves nothing', async () => {
    await ensure(world.control, POLICIES, policyFor('Deployment', 'plain', duplicated('m1')))
    await ensure(world.control, DEPLOYMENTS, deployment('plain', 1))
    await isEverywhere('plain')
    expect((await work('plain')).spec).toMatchObject({
      suspendDispatching: false,
      preserveResourcesOnDeletion: false,
    })
  })

  it('keeps the manifest that it had when its template loses its policy', async () => {
    await ensure(world.control, POLICIES, policyFor('Deployment', 'left', divided(['m1', 1])))
    await ensure(world.control, DEPLOYMENTS, deployment('left', 1))
    await isEverywhere('left')
    const before = await work('left')
    const { metadata } = policyFor('Deployment', 'left', {})
    await remove(world.control, POLICIES, metadata)
    await eventually('the template to lose its claim', async () => {
      const { annotations = {} } = (await world.template('left'))?.metadata ?? {}
      return annotations['propagationpolicy.karmada.io/name'] === undefined
    })
    // An override for it shows that the binding controller is through, and brings the template as it is now.
    await ensure(world.control, OVERRIDES, override('other', 'plain', 'other'))
    await eventually('the override of another template', async () =>
      JSON.stringify(await work('plain')).includes('"by":"other"'),
    )
    expect((await work('left')).spec).toEqual(before.spec)
    await ensure(world.control, OVERRIDES, override('own', 'left', 'own'))
    await eventually('the override of its own', async () =>
      JSON.stringify(await work('left')).includes('"by":"own"'),
    )
    expect(JSON.stringify(await work('left'))).not.toContain('propagationpolicy.karmada.io/name')
  })

  it('is written again when an override policy stops to select its template', async () => {
    await update<KubeObject & { spec: object }>(
      world.control,
      OVERRIDES,
      { namespace: 'default', name: 'other' },
      one => ({ ...one, spec: override('other', 'somebody', 'other').spec }),
    )
    await eventually(
      'the label to go',
      async () => !JSON.stringify(await work('plain')).includes('"by":"other"'),
    )
  })
})
