import { deepEqual, equal } from 'node:assert/strict'
import type { Scenario } from '../../scenario.js'
import { namesOf } from '../object-stories.js'
import { deployment } from '../workload-manifests.js'

/** Scenarios of Pods. */
export const pods: readonly Scenario[] = [
  {
    proves: ['ListPodsForMemberCluster'],
    async run({ ask, eventually, inMember, member, namespace }) {
      await inMember('POST', `/apis/apps/v1/namespaces/${namespace}/deployments`, deployment('web'))
      await inMember('POST', `/api/v1/namespaces/${namespace}/pods`, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'alone' },
        spec: { containers: [{ name: 'main', image: 'nginx' }] },
      })
      deepEqual(namesOf(await ask('ListPodsForMemberCluster', { fieldSelector: 'metadata.name=alone' })), [
        'alone',
      ])
      const running = { kind: 'Deployment', kindName: 'web', phase: 'Running' }
      const { items } = await eventually(async () => {
        const list = await ask('ListPodsForMemberCluster', running)
        equal(list.pagination.total, 1)
        return list
      })
      const [{ metadata, status }] = items
      equal(metadata.cluster, member)
      deepEqual(
        [status.phase, status.cpuRequest, status.ownedBy],
        ['Running', '100', { kind: 'DEPLOYMENT', name: 'web' }],
      )
    },
  },
]
