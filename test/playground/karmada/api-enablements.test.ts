import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensure, remove } from '../../../playground/client/write.js'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../playground/objects/core-types.js'
import { eventually } from '../eventually.js'
import { PropagationWorld } from './propagation-world.js'

let world: PropagationWorld
beforeAll(async () => {
  world = await PropagationWorld.start(['m1'])
})
afterAll(() => world.close())

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'teas.shop.test' },
  spec: {
    group: 'shop.test',
    scope: 'Namespaced',
    names: { plural: 'teas', singular: 'tea', kind: 'Tea', listKind: 'TeaList' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' as const } } },
    ],
  },
}

describe('the types that a Cluster’s status lists', () => {
  it('follow the CRDs of the member, and do not wait for the next discovery', async () => {
    const groups = async () =>
      (await world.cluster('m1'))?.status?.apiEnablements?.map(({ groupVersion }) => groupVersion) ?? []
    expect(await groups()).not.toContain('shop.test/v1')
    await ensure(world.member('m1'), CUSTOM_RESOURCE_DEFINITIONS, DEFINITION)
    await eventually('the new type', async () => (await groups()).includes('shop.test/v1'))
    await remove(world.member('m1'), CUSTOM_RESOURCE_DEFINITIONS, DEFINITION.metadata)
    await eventually('the type to be gone', async () => !(await groups()).includes('shop.test/v1'))
  })
})
