import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../scenarios/support/eventually.js'
import { curl } from '../../fakes/listening.js'
import { letIn, type PlaygroundProxy, startPlaygroundProxy } from '../../proxy/playground-proxy.js'

let world: PlaygroundProxy
let members: readonly string[]
beforeAll(async () => {
  world = await startPlaygroundProxy({ members: 2 })
  await letIn(world)
  members = [...world.playground.members.keys()].sort()
})
afterAll(() => world.close())

async function ask(method: string, path: string, body?: object) {
  const url = `/apis/kairship.io/v1alpha1/instances/${world.instance}${path}`
  const answer = await curl(world.api, url, { token: world.playground.tokens.admin }, {}, method, body)
  return { ...answer, json: JSON.parse(answer.text) }
}
const create = async (path: string, object: object) => {
  const { status, text } = await ask('POST', `/proxy${path}`, object)
  expect(status, text).toBe(201)
}
const get = async (path: string) => (await ask('GET', `/proxy${path}`)).json
const POLICY_API = '/apis/policy.karmada.io/v1alpha1/namespaces'

/** A namespace with one quota of what it may request, over all members or in each of them. */
async function namespaceWith(namespace: string, spec: object) {
  await create('/api/v1/namespaces', { metadata: { name: namespace } })
  const metadata = { name: 'limit', namespace }
  await create(`${POLICY_API}/${namespace}/federatedresourcequotas`, { metadata, spec })
}
const bindingOf = (namespace: string, name: string) =>
  get(`/apis/work.karmada.io/v1alpha2/namespaces/${namespace}/resourcebindings/${name}-deployment`)

/** Creates a Deployment of pods that request 10m CPU each. */
const deploy = (namespace: string, name: string, replicas: number) => {
  const containers = [{ name: 'web', image: 'web:1', resources: { requests: { cpu: '10m' } } }]
  const template = { metadata: { labels: { app: name } }, spec: { containers } }
  const spec = { replicas, selector: { matchLabels: { app: name } }, template }
  return create(`/apis/apps/v1/namespaces/${namespace}/deployments`, { metadata: { name, namespace }, spec })
}
const policy = (namespace: string, name: string) => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { name, namespace },
  spec: {
    resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name }],
    placement: {
      clusterAffinity: { clusterNames: members },
      replicaScheduling: {
        replicaSchedulingType: 'Divided',
        replicaDivisionPreference: 'Weighted',
        weightPreference: { dynamicWeight: 'AvailableReplicas' },
      },
    },
  },
})
const preview = async (namespace: string, name: string) => {
  const { status, json, text } = await ask('POST', '/policies:preview', {
    data: JSON.stringify(policy(namespace, name)),
  })
  expect(status, text).toBe(200)
  return json.templates[0].placement
}
const explanation = async (namespace: string, name: string) =>
  (await ask('GET', `/placement?apiVersion=apps/v1&kind=Deployment&namespace=${namespace}&name=${name}`)).json
    .placement
const apply = async (namespace: string, name: string) => {
  await create(`${POLICY_API}/${namespace}/propagationpolicies`, policy(namespace, name))
  return eventually(`${name} is scheduled`, async () => {
    const { spec, status } = await bindingOf(namespace, name)
    const scheduled = status?.conditions?.find(({ type }: { type: string }) => type === 'Scheduled')
    return scheduled && { clusters: spec.clusters, scheduled }
  })
}
interface Row {
  readonly cluster: string
  readonly after?: number
  readonly quotaLimit: string
}
const targetsIn = ({ clusters }: { readonly clusters: readonly Row[] }) =>
  clusters.flatMap(({ cluster, after }) => (after ? [{ name: cluster, replicas: after }] : []))

describe('a preview in a namespace with quotas', () => {
  it('gives the clusters and replicas that the scheduler then gives, where a quota limits a member', async () => {
    const [first = '', second = ''] = members
    const assigned = (clusterName: string, cpu: string) => ({ clusterName, hard: { cpu } })
    const staticAssignments = [assigned(first, '10m'), assigned(second, '70m')]
    await namespaceWith('rooms', { overall: { cpu: '1' }, staticAssignments })
    await eventually('both members report', async () => {
      const { status } = await get(`${POLICY_API}/rooms/federatedresourcequotas/limit`)
      const reported = status?.aggregatedStatus ?? []
      return reported.filter(({ used }: { used?: object }) => used).length === 2
    })
    await deploy('rooms', 'web', 6)
    const before = await preview('rooms', 'web')
    expect(before.clusters.map(({ quotaLimit }: Row) => quotaLimit)).toEqual([
      expect.stringContaining('ResourceQuota limit of the cluster leaves room for 1 more replicas'),
      expect.stringContaining('leaves room for 7 more replicas'),
    ])
    expect(before.assumptions).toEqual([expect.stringContaining('ResourceQuotaEstimate')])

    const { clusters } = await apply('rooms', 'web')
    expect(targetsIn(before)).toEqual(clusters)
    expect(clusters).toEqual([
      { name: first, replicas: 1 },
      { name: second, replicas: 5 },
    ])
    expect(targetsIn(await explanation('rooms', 'web'))).toEqual(clusters)

    await deploy('rooms', 'more', 3)
    const full = await preview('rooms', 'more')
    expect(full.failure.reason, 'two more have room, where the gate is known to be on').toBe('Unschedulable')
    expect(full.assumptions).toEqual([])
    const { scheduled } = await apply('rooms', 'more')
    expect({ reason: scheduled.reason, message: scheduled.message }).toEqual(full.failure)
  })

  it('names the federated quota that then refuses the result', async () => {
    await namespaceWith('shares', { overall: { cpu: '30m' } })
    await deploy('shares', 'web', 4)
    const { failure, assumptions } = await preview('shares', 'web')
    expect(failure.message).toContain('FederatedResourceQuota(shares/limit) exceeded for resource cpu')
    expect(assumptions).toEqual([expect.stringContaining('FederatedQuotaEnforcement')])
    const { scheduled } = await apply('shares', 'web')
    expect({ reason: scheduled.reason, message: scheduled.message }).toEqual(failure)
    expect((await explanation('shares', 'web')).failure).toEqual(failure)
  })
})
