import { CLUSTERS, type Cluster } from '../../../karmada/objects/cluster.js'
import { read } from '../../../playground/client/write.js'
import { join } from '../../../playground/karmada/join.js'
import { type Member, startMember } from '../../../playground/member/member.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { silent } from '../../silent.js'
import { eventually } from '../eventually.js'

/** Two members, m1 and m2, in the region eu, once the control plane has found both ready and counted what they have. */
export async function joinedMembers(control: KubeApi): Promise<readonly Member[]> {
  const members = await Promise.all(
    ['m1', 'm2'].map(name => startMember({ name, log: silent, podStartMs: 0 })),
  )
  for (const { name, server } of members)
    await join({ control, member: server.local, name, apiEndpoint: server.url, region: 'eu' })
  await eventually('both members to be ready', async () => {
    const clusters = await Promise.all(members.map(({ name }) => read<Cluster>(control, CLUSTERS, { name })))
    return clusters.every(one => one && !one.spec.taints && one.status?.resourceSummary)
  })
  return members
}
