import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubeConnector } from '../../../actors/kube/connector.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import { CLUSTERS } from '../../../karmada/objects/cluster.js'
import { BINDINGS, type Binding } from '../../../karmada/objects/resource-binding.js'
import { WORK_FINALIZER, WORKS, type Work } from '../../../karmada/objects/work.js'
import { type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { ensure, read, remove } from '../../../playground/client/write.js'
import { type Karmada, startKarmada } from '../../../playground/karmada/control-plane.js'
import type { Member } from '../../../playground/member/member.js'
import { conditionOf } from '../../../playground/objects/conditions.js'
import type { Namespace } from '../../../playground/objects/core.js'
import { CONFIG_MAPS, DEPLOYMENTS, NAMESPACES } from '../../../playground/objects/core-types.js'
import { silent } from '../../silent.js'
import { eventually } from '../eventually.js'
import { joinedMembers } from './joined-members.js'

const times = { probe: 200, discovery: 60_000, settle: 10, thresholds: { success: 0, failure: 0 } }
const POLICIES = { group: 'policy.karmada.io', version: 'v1alpha1', resource: 'propagationpolicies' }
const RB = BINDINGS.namespaced.type
const PLACE = { namespace: 'default', name: 'web' }
const BINDING = { namespace: 'default', name: 'web-deployment' }

let folder: string
let karmada: Karmada
let members: readonly Member[]

const start = async () => {
  karmada = await startKarmada({ name: 'k', connector: kubeConnector(), log: silent, times, dataDir: folder })
}
const restart = async () => {
  await karmada.close()
  await start()
}
const control = () => karmada.server.local
const works = async () =>
  (await control().request<{ items: Work[] }>({ method: 'GET', path: resourcePath(WORKS) })).items
const binding = () => read<Binding>(control(), RB, BINDING)
const parts = () =>
  Promise.all(
    members.map(
      async ({ server }) => (await read<Resource>(server.local, DEPLOYMENTS, PLACE))?.spec?.replicas,
    ),
  )

beforeAll(async () => {
  folder = await mkdtemp(joinPath(tmpdir(), 'propagation-'))
  await start()
  members = await joinedMembers(control())
})
afterAll(async () => {
  await karmada.close()
  await Promise.all(members.map(one => one.close()))
  await rm(folder, { recursive: true })
})

const policy = {
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { namespace: 'default', name: 'p' },
  spec: {
    resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }],
    placement: { replicaScheduling: { replicaSchedulingType: 'Divided' } },
  },
} as KubeObject
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: PLACE,
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'nginx' }] },
    },
  },
} as KubeObject

/** Steps of the way, each with what shows that it was taken. */
const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['as soon as both are written', async () => true],
  ['after the claim', async () => (await read(control(), DEPLOYMENTS, PLACE))?.metadata.labels],
  ['after the binding', binding],
  ['after scheduling', async () => (await binding())?.spec.clusters],
  ['after a work', async () => (await works()).length > 0],
  ['after a work was carried out', async () => (await parts()).some(part => part !== undefined)],
  ['after all of it', async () => (await binding())?.status?.aggregatedStatus],
]

describe('controllers that are stopped midway', () => {
  it.each(steps)('reach the same end: %s', async (_, taken) => {
    await ensure(control(), POLICIES, policy)
    await ensure(control(), DEPLOYMENTS, deployment)
    await eventually('the step', async () => Boolean(await taken()))
    await restart()
    await eventually('the binding to be applied', async () => {
      const found = await binding()
      return conditionOf(found?.status?.conditions, 'FullyApplied')?.status === 'True'
    })
    await eventually('two replicas in each', async () => (await parts()).every(part => part === 2))
    await eventually('the template’s status', async () => {
      const found = await read<Resource>(control(), DEPLOYMENTS, PLACE)
      return found?.status?.readyReplicas === 4
    })
    expect(await works()).toHaveLength(2)
    await remove(control(), POLICIES, policy.metadata)
    await remove(control(), DEPLOYMENTS, PLACE)
    await restart()
    await eventually('nothing to be left', async () => {
      const left = [
        await binding(),
        await read(control(), POLICIES, policy.metadata),
        ...(await parts()),
        ...(await works()),
      ]
      return left.every(one => one === undefined)
    })
  })

  it('remove a member that goes out of reach only after they were started again', async () => {
    const [m1] = members as readonly [Member]
    await ensure(control(), WORKS, {
      apiVersion: 'work.karmada.io/v1alpha1',
      kind: 'Work',
      metadata: { namespace: 'karmada-es-m1', name: 'left-behind', finalizers: [WORK_FINALIZER] },
      spec: { workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: PLACE }] } },
    } as KubeObject)
    await eventually('the ConfigMap', () => read(m1.server.local, CONFIG_MAPS, PLACE))
    m1.server.interrupt({
      kind: 'answer',
      matches: ({ method }) => method === 'DELETE',
      response: { code: 500, body: { text: 'not now', contentType: 'text/plain' } },
    })
    await remove(control(), CLUSTERS, { name: 'm1' })
    await eventually(
      'its namespace to be deleted',
      async () =>
        (await read<Namespace>(control(), NAMESPACES, { name: 'karmada-es-m1' }))?.metadata.deletionTimestamp,
    )
    await restart()
    m1.server.interrupt({ kind: 'refuseConnections' })
    await eventually('m1 to be gone', async () => !(await read(control(), CLUSTERS, { name: 'm1' })))
  })
})
