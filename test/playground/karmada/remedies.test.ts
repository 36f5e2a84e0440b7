import { afterAll, beforeAll, describe, it } from 'vitest'
import { REMEDIES, type Remedy } from '../../../karmada/eviction/remedy.js'
import { CLUSTERS, type Cluster } from '../../../karmada/objects/cluster.js'
import { ensure, remove, update } from '../../../playground/client/write.js'
import { eventually } from '../eventually.js'
import { PropagationWorld } from './propagation-world.js'

let world: PropagationWorld
beforeAll(async () => {
  world = await PropagationWorld.start(['m1', 'm2'])
})
afterAll(() => world.close())

const actionsAre = (name: string, wanted: string) =>
  eventually(`${name} to have the actions "${wanted}"`, async () => {
    const { status } = (await world.cluster(name)) ?? {}
    return (status?.remedyActions ?? []).join() === wanted
  })
const observe = (name: string, status: 'True' | 'False') =>
  update<Cluster>(world.control, CLUSTERS, { name, subresource: 'status' }, cluster => {
    const others = (cluster.status?.conditions ?? []).filter(({ type }) => type !== 'DnsReady')
    const lastTransitionTime = '2026-01-01T00:00:00Z'
    const seen = { type: 'DnsReady', status, reason: 'Seen', message: '', lastTransitionTime }
    return { ...cluster, status: { ...cluster.status, conditions: [...others, seen] } }
  })

describe('a Remedy', () => {
  const remedy: Remedy = {
    apiVersion: 'remedy.karmada.io/v1alpha1',
    kind: 'Remedy',
    metadata: { name: 'dns' },
    spec: {
      actions: ['TrafficControl'],
      decisionMatches: [
        {
          clusterConditionMatch: { conditionType: 'DnsReady', operator: 'Equal', conditionStatus: 'False' },
        },
      ],
    },
  }

  it('has its actions in the status of a cluster as long as the condition lasts', async () => {
    await ensure(world.control, REMEDIES, remedy)
    await observe('m1', 'False')
    await actionsAre('m1', 'TrafficControl')
    await actionsAre('m2', '')
    await observe('m1', 'True')
    await actionsAre('m1', '')
  })

  it('takes its actions with it', async () => {
    await observe('m2', 'False')
    await actionsAre('m2', 'TrafficControl')
    await remove(world.control, REMEDIES, { name: 'dns' })
    await actionsAre('m2', '')
  })
})
