import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubeConnector } from '../../../actors/kube/connector.js'
import type { Cluster } from '../../../karmada/objects/cluster.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { ensure } from '../../../playground/client/write.js'
import { MemberSlices } from '../../../playground/karmada/networking/member-slices.js'
import { ENDPOINT_SLICES } from '../../../playground/objects/core-types.js'
import type { KubeConnector } from '../../../ports/kube-api.js'
import { eventually } from '../eventually.js'
import { PropagationWorld } from './propagation-world.js'

const SERVICE = { namespace: 'default', name: 'web' }
/** A slice of the Service that a member made, with a name that tells of which. */
const sliceIn = (member: string): KubeObject =>
  ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      namespace: 'default',
      name: `web-in-${member}`,
      labels: { 'kubernetes.io/service-name': 'web' },
    },
    addressType: 'IPv4',
    endpoints: [],
  }) as unknown as KubeObject

/** A connector that counts the watches of EndpointSlices. */
function counting(): KubeConnector & { readonly watches: () => number } {
  const connector = kubeConnector()
  let watches = 0
  return {
    watches: () => watches,
    connect: async (...of) => {
      const api = await connector.connect(...of)
      return Object.assign(Object.create(api), {
        watch: (request: Parameters<typeof api.watch>[0]) => {
          if (request.path.includes('/endpointslices')) watches++
          return api.watch(request)
        },
      })
    },
  }
}

describe('the EndpointSlices of members', () => {
  let world: PropagationWorld
  beforeAll(async () => {
    world = await PropagationWorld.start(['m1', 'm2'])
    for (const name of ['m1', 'm2']) await ensure(world.member(name), ENDPOINT_SLICES, sliceIn(name))
  })
  afterAll(() => world.close())

  const clusterOf = async (name: string) => (await world.cluster(name)) as Cluster
  const namesOf = (slices: MemberSlices, cluster: Cluster) =>
    eventually(`the slices of ${cluster.metadata.name}`, async () => {
      const found = await slices.of(cluster, SERVICE)
      return found?.map(({ metadata }) => metadata.name)
    })

  it('are watched once in each member, however many listen and ask', async () => {
    const connector = counting()
    const slices = new MemberSlices(world.control, connector)
    const told: string[][] = [[], []]
    for (const names of told) slices.listen(slice => slice && names.push(slice.metadata.name))
    try {
      const m1 = await clusterOf('m1')
      const answers = await Promise.all([namesOf(slices, m1), namesOf(slices, m1)])
      expect(answers).toEqual([['web-in-m1'], ['web-in-m1']])
      for (const names of told) expect(names).toContain('web-in-m1')
      expect(connector.watches()).toBe(1)
    } finally {
      await slices.close()
    }
  })

  it('are those of the new member when a Cluster of the same name and generation has joined since', async () => {
    const slices = new MemberSlices(world.control, kubeConnector())
    try {
      const [before, other] = [await clusterOf('m1'), await clusterOf('m2')]
      const after: Cluster = {
        ...before,
        metadata: { ...before.metadata, uid: 'joined-anew' },
        spec: other.spec,
      }
      expect(await namesOf(slices, before)).toEqual(['web-in-m1'])
      expect(await namesOf(slices, after)).toEqual(['web-in-m2'])
    } finally {
      await slices.close()
    }
  })
})
