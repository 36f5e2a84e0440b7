import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../scenarios/support/eventually.js'
import { curl } from '../../fakes/listening.js'
import { letIn, type PlaygroundProxy, startPlaygroundProxy } from '../../proxy/playground-proxy.js'

let world: PlaygroundProxy
beforeAll(async () => {
  world = await startPlaygroundProxy()
  await letIn(world)
})
afterAll(() => world.close())

/** One request about the instance. */
async function ask(method: string, path: string, body?: object, token = world.playground.tokens.admin) {
  const url = `/apis/kairship.io/v1alpha1/instances/${world.instance}${path}`
  const answer = await curl(world.api, url, { token }, {}, method, body)
  return { ...answer, json: JSON.parse(answer.text) }
}

const traced = (name: string, token?: string) =>
  ask('GET', `/trace?apiVersion=apps/v1&kind=Deployment&namespace=default&name=${name}`, undefined, token)
const previewed = (policy: object) => ask('POST', '/policies:preview', { data: JSON.stringify(policy) })
const create = async (path: string, object: object) => {
  const { status, text } = await ask('POST', `/proxy${path}`, object)
  expect(status, text).toBe(201)
}

const deployment = (name: string, replicas = 2) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'web', image: `web:1` }] },
    },
  },
})
const policy = (name: string, clusterNames: readonly string[] = [world.member]) => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { name, namespace: 'default' },
  spec: {
    resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name }],
    placement: { clusterAffinity: { clusterNames } },
  },
})
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const POLICIES = '/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies'

describe('a trace over REST', () => {
  it('names the first broken step, and after it is mended the next, until the object runs', async () => {
    const unplaced = await ask('GET', '/trace?apiVersion=apps/v1&kind=Deployment&name=traced')
    expect([unplaced.status, unplaced.json.message]).toEqual([
      400,
      'namespace: is empty, but a Deployment is in a namespace: name it',
    ])
    const missing = await traced('traced')
    expect(missing.status, missing.text).toBe(200)
    expect(missing.json.first).toMatchObject({
      step: 'TEMPLATE',
      state: 'BROKEN',
      reason: 'TemplateNotFound',
    })

    await create(DEPLOYMENTS, deployment('traced'))
    expect((await traced('traced')).json.first).toMatchObject({ step: 'POLICY', reason: 'NoPolicy' })

    await create(POLICIES, policy('traced', ['nowhere']))
    await eventually('the scheduler finds no cluster', async () => {
      const { first } = (await traced('traced')).json
      return first?.step === 'SCHEDULING' && first.state === 'BROKEN'
    })
    expect((await traced('traced')).json.first).toMatchObject({
      reason: 'NoClusterFit',
      message: expect.stringContaining('No cluster nowhere is joined, which the policy names.'),
      fix: expect.stringContaining('cluster names'),
    })

    const current = (await ask('GET', `/proxy${POLICIES}/traced`)).json
    const mended = { ...current, spec: policy('traced').spec }
    expect((await ask('PUT', `/proxy${POLICIES}/traced`, mended)).status).toBe(200)
    await eventually('it runs', async () => (await traced('traced')).json.first === undefined)
    const { json } = await traced('traced')
    expect(json.summary).toBe('Deployment default/traced runs as wanted in 1 cluster.')
    expect(json.links.map(({ step, cluster }: { step: string; cluster: string }) => [step, cluster])).toEqual(
      [
        ['TEMPLATE', ''],
        ['POLICY', ''],
        ['BINDING', ''],
        ['SCHEDULING', ''],
        ['WORK', world.member],
        ['MEMBER', world.member],
      ],
    )
  })

  it.each([
    ['a kind that is not served', 'apiVersion=apps/v1&kind=Rig&name=x', 'kind'],
    ['a group that is not served', 'apiVersion=example.io/v1&kind=Rig&name=x', 'apiVersion'],
    ['what is no apiVersion', 'apiVersion=../../api&kind=Rig&name=x', 'apiVersion'],
    ['no namespace where there is one', 'apiVersion=apps/v1&kind=Deployment&name=x', 'namespace'],
    ['no name', 'apiVersion=apps/v1&kind=Deployment&namespace=default', 'name'],
  ])('of %s is refused, naming the field', async (_, query, field) => {
    const { status, json } = await ask('GET', `/trace?${query}`)
    expect([status, json.code]).toEqual([400, 3])
    expect(JSON.stringify(json.details)).toContain(`"field":"${field}"`)
  })

  it('is whole for a team whose role is on the namespace of the template, which may read neither Works nor clusters', async () => {
    await create(DEPLOYMENTS, deployment('teams'))
    await create(POLICIES, policy('teams'))
    await eventually('it runs', async () => (await traced('teams')).json.first === undefined)
    const { host, members } = world.playground
    const subjects = [{ kind: 'User', name: 'team@playground' }]
    const bound = { metadata: { name: 'team' }, subjects }
    const rbac = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'
    const roleRef = (name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name })
    const post = (path: string, body: object) => ({ method: 'POST', path, body }) as const
    await host.local.request(post(rbac, { ...bound, roleRef: roleRef('kairship-instance-viewer') }))
    await members.get(world.member)!.server.local.request(post(rbac, { ...bound, roleRef: roleRef('view') }))
    await host.local.request(
      post('/apis/kairship.io/v1alpha1/instancerolebindings', {
        ...{ apiVersion: 'kairship.io/v1alpha1', kind: 'InstanceRoleBinding', metadata: { name: 'team' } },
        spec: { instance: world.instance, role: 'Viewer', namespaces: ['default'], subjects },
      }),
    )
    const token = await host.issueToken({ name: 'team@playground' }, 3_600)
    const { json } = await eventually('the team’s role is in effect', async () => {
      const answer = await traced('teams', token)
      return answer.status === 200 ? answer : undefined
    })
    expect(json.first).toBeUndefined()
    expect(json.summary).toBe('Deployment default/teams runs as wanted in 1 cluster.')
    expect(json.unread).toContainEqual(expect.stringContaining('cannot list resource "clusters"'))
    // Without clusters every decision would be that none fits.
    const path = '/placement?apiVersion=apps/v1&kind=Deployment&namespace=default&name=teams'
    const explained = await ask('GET', path, undefined, token)
    expect([explained.status, explained.json.message]).toEqual([
      403,
      expect.stringContaining('cannot list resource "clusters"'),
    ])
    for (const token_ of [token, world.playground.tokens.viewer])
      expect((await ask('GET', '/works', undefined, token_)).status).toBe(403)
  })

  it('says of a member that the caller may not read there that its object is not known, in the member’s words', async () => {
    await create(DEPLOYMENTS, deployment('shared'))
    await create(POLICIES, policy('shared'))
    await eventually('it runs', async () => (await traced('shared')).json.first === undefined)
    await world.playground.members.get(world.member)!.server.local.request({
      method: 'DELETE',
      path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/playground-viewer',
    })
    const { status, json, text } = await traced('shared', world.playground.tokens.viewer)
    expect(status, text).toBe(200)
    expect(json.links.slice(0, 5).every(({ state }: { state: string }) => state === 'DONE')).toBe(true)
    expect(json.links.slice(5)).toMatchObject([
      {
        ...{ step: 'MEMBER', cluster: world.member, state: 'UNKNOWN' },
        message: expect.stringContaining('User "viewer@playground" cannot get resource "deployments"'),
      },
    ])
    expect(json.first).toEqual(json.links[5])
    expect(json.summary).not.toContain('runs as wanted')
  })
})

describe('an explanation over REST', () => {
  it('gives each cluster its replicas or the reason against it', async () => {
    await create(DEPLOYMENTS, deployment('explained', 3))
    await create(POLICIES, policy('explained'))
    const path = '/placement?apiVersion=apps/v1&kind=Deployment&namespace=default&name=explained'
    await eventually('it is scheduled', async () => {
      const { json } = await ask('GET', path)
      return json.placement?.clusters[0]?.before === 3
    })
    const { json } = await ask('GET', path)
    expect(json.binding).toMatchObject({ kind: 'ResourceBinding', name: 'explained-deployment' })
    expect(json.placement.clusters).toMatchObject([
      { cluster: world.member, refusals: [], selected: true, after: 3 },
    ])
  })

  it('names the filter that refuses a cluster, and the score and the room of one that it may go to', async () => {
    const taint = (taints: object[] | null) =>
      world.playground.karmadas.get(world.instance)!.server.local.request({
        ...{ method: 'PATCH', contentType: 'application/merge-patch+json' },
        path: `/apis/cluster.karmada.io/v1alpha1/clusters/${world.member}`,
        body: { spec: { taints } },
      })
    await create(DEPLOYMENTS, deployment('weighed', 3))
    await create(POLICIES, {
      ...policy('weighed'),
      spec: {
        ...policy('weighed').spec,
        placement: {
          clusterAffinity: { clusterNames: [world.member] },
          replicaScheduling: {
            replicaSchedulingType: 'Divided',
            replicaDivisionPreference: 'Weighted',
            weightPreference: { dynamicWeight: 'AvailableReplicas' },
          },
        },
      },
    })
    const explained = async () =>
      (await ask('GET', '/placement?apiVersion=apps/v1&kind=Deployment&namespace=default&name=weighed')).json
    const [{ candidate }] = await eventually('it runs', async () => {
      const { placement } = await explained()
      return placement?.clusters[0]?.before === 3 && placement.clusters
    })
    expect(candidate).toMatchObject({ score: 100, allocatable: expect.any(Number) })
    expect(candidate.available).toBe(candidate.allocatable + 3)

    await taint([{ key: 'test.io/closed', effect: 'NoSchedule' }])
    await create(DEPLOYMENTS, deployment('refused'))
    await create(POLICIES, policy('refused'))
    const path = '/placement?apiVersion=apps/v1&kind=Deployment&namespace=default&name=refused'
    const refused = await eventually('it is bound', async () => {
      const { status, json } = await ask('GET', path)
      return status === 200 && json
    })
    expect(refused.placement.failure).toMatchObject({ reason: 'NoClusterFit' })
    expect(refused.placement.clusters).toEqual([
      expect.objectContaining({
        cluster: world.member,
        selected: false,
        refusals: [{ filter: 'TaintToleration', reason: expect.stringContaining('test.io/closed') }],
      }),
    ])
    expect(refused.placement.clusters[0]).not.toHaveProperty('candidate')
    await taint(null)
  })

  it('answers 404 NotPropagated for a template without a binding, and names the trace', async () => {
    await create(DEPLOYMENTS, deployment('unbound'))
    const { status, json } = await ask(
      'GET',
      '/placement?apiVersion=apps/v1&kind=Deployment&namespace=default&name=unbound',
    )
    expect([status, json.message]).toEqual([
      404,
      expect.stringMatching(/Deployment default\/unbound has no binding: .* trace/),
    ])
  })

  it('answers 404 for a template that does not exist, without naming policies', async () => {
    const { status, json } = await ask(
      'GET',
      '/placement?apiVersion=apps/v1&kind=Deployment&namespace=default&name=none',
    )
    expect([status, json.message]).toEqual([404, 'the control plane has no Deployment default/none'])
  })
})

describe('a preview over REST', () => {
  it('shows exactly what the policy then does', async () => {
    await create(DEPLOYMENTS, deployment('previewed', 4))
    const { status, json, text } = await previewed(policy('previewed'))
    expect(status, text).toBe(200)
    expect(json).toMatchObject({
      total: 1,
      templates: [{ claim: 'CLAIMS', template: { name: 'previewed' } }],
    })
    const [{ placement, manifests }] = json.templates
    expect(placement.clusters).toMatchObject([{ cluster: world.member, after: 4 }])
    expect(placement.clusters[0]).not.toHaveProperty('before')
    expect((await ask('GET', `/proxy${POLICIES}/previewed`)).status, 'nothing is written').toBe(404)

    await create(POLICIES, policy('previewed'))
    await eventually('it runs', async () => (await traced('previewed')).json.first === undefined)
    const works = (
      await ask('GET', `/proxy/apis/work.karmada.io/v1alpha1/namespaces/karmada-es-${world.member}/works`)
    ).json
    const work = works.items.find(({ metadata }: { metadata: { name: string } }) =>
      metadata.name.startsWith('previewed-'),
    )
    const { spec } = JSON.parse(manifests[0].after)
    expect(work.spec.workload.manifests[0].spec).toEqual(spec)
  })

  it('of a change names the clusters that would lose it', async () => {
    await create(DEPLOYMENTS, deployment('moved'))
    await create(POLICIES, policy('moved'))
    await eventually('it runs', async () => (await traced('moved')).json.first === undefined)
    const { json } = await previewed(policy('moved', ['nowhere']))
    expect(json.templates).toMatchObject([
      {
        claim: 'KEEPS',
        placement: {
          failure: { reason: 'NoClusterFit' },
          clusters: [
            { cluster: world.member, before: 2 },
            { cluster: 'nowhere', refusals: [{ filter: 'NotJoined' }] },
          ],
        },
        manifests: [{ cluster: world.member, after: '', patch: [] }],
      },
    ])
  })

  it('of an override shows the patch of each manifest', async () => {
    await create(DEPLOYMENTS, deployment('overridden'))
    await create(POLICIES, policy('overridden'))
    await eventually('it runs', async () => (await traced('overridden')).json.first === undefined)
    const { status, json, text } = await previewed({
      apiVersion: 'policy.karmada.io/v1alpha1',
      kind: 'OverridePolicy',
      metadata: { name: 'images', namespace: 'default' },
      spec: {
        resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'overridden' }],
        overrideRules: [
          { overriders: { imageOverrider: [{ component: 'Tag', operator: 'replace', value: '2' }] } },
        ],
      },
    })
    expect(status, text).toBe(200)
    expect(json.templates[0].manifests).toMatchObject([
      {
        cluster: world.member,
        patch: expect.arrayContaining([
          { op: 'replace', path: '/spec/template/spec/containers/0/image', value: '"web:2"' },
        ]),
      },
    ])
  })

  it.each([
    [
      'another kind',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}',
      'must be one of these',
    ],
    ['two documents', 'a: 1\n---\nb: 2\n', '2 documents'],
    [
      'a policy without a spec',
      '{"apiVersion":"policy.karmada.io/v1alpha1","kind":"PropagationPolicy","metadata":{"name":"x","namespace":"default"}}',
      'is required',
    ],
    ['no YAML', '{[', 'neither JSON nor YAML'],
  ])('of %s is refused', async (_, data, text) => {
    const answer = await ask('POST', '/policies:preview', { data })
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(text)])
  })
})
