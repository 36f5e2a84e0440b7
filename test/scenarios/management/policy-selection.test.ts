import { beforeAll, describe, expect, it } from 'vitest'
import { PolicyService } from '../../../proto/gen/kairship/policy_pb.js'
import { ManagedWorld, TYPES } from '../support/managed-world.js'

const world = new ManagedWorld(PolicyService)
const names = ({ items }: { items: { metadata: { name: string } }[] }) =>
  items.map(({ metadata }) => metadata.name)
const deployment = (name: string, labels: object) => ({
  metadata: { name, labels },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'web:1' }] },
    },
  },
})
const ofDeployments = { apiVersion: 'apps/v1', kind: 'Deployment' }
/** What a policy selects, by its name. */
const selectors = {
  all: [ofDeployments],
  'by-name': [{ ...ofDeployments, name: 'web' }],
  'by-labels': [{ ...ofDeployments, labelSelector: { matchLabels: { tier: 'front' } } }],
  'other-labels': [{ ...ofDeployments, labelSelector: { matchLabels: { tier: 'back' } } }],
  'other-name': [{ ...ofDeployments, name: 'api' }],
  'other-kind': [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'web' }],
  'other-group': [{ apiVersion: 'apps.example.io/v1', kind: 'Deployment', name: 'web' }],
  'unserved-labels': [
    {
      apiVersion: 'apps.example.io/v1',
      kind: 'Deployment',
      labelSelector: { matchLabels: { tier: 'front' } },
    },
  ],
} as const
const overrideRules = [{ overriders: { labelsOverrider: [{ operator: 'add', value: { a: 'b' } }] } }]

beforeAll(async () => {
  await world.create(world.control, TYPES.deployments, deployment('web', { tier: 'front' }))
  const placement = { clusterAffinity: { clusterNames: ['nowhere'] } }
  for (const [name, resourceSelectors] of Object.entries(selectors)) {
    const spec = { resourceSelectors, placement }
    await world.create(world.control, TYPES.policies, { metadata: { name }, spec })
    await world.create(world.control, TYPES.clusterPolicies, { metadata: { name }, spec })
    const changes = { metadata: { name }, spec: { resourceSelectors, overrideRules } }
    await world.create(world.control, TYPES.overridePolicies, changes)
  }
  await world.create(world.control, TYPES.overridePolicies, {
    metadata: { name: 'everything' },
    spec: { overrideRules },
  })
  await world.create(world.control, TYPES.clusterPolicies, {
    metadata: { name: 'elsewhere' },
    spec: { resourceSelectors: [{ ...ofDeployments, namespace: 'kube-system', name: 'web' }], placement },
  })
})

describe('policies filtered by what they select', () => {
  const inNamespace = async (more: object, rpc: 'listPropagationPolicies' | 'listOverridePolicies') =>
    names(await world.calls.read(rpc, { instance: world.instance, namespace: 'default', ...more }))
  const web = { kind: 'Deployment', kindName: 'web' }

  it('are those of a kind', async () => {
    expect(await inNamespace({ kind: 'ConfigMap' }, 'listPropagationPolicies')).toEqual(['other-kind'])
    expect(
      await inNamespace({ kind: 'Deployment', apiVersion: 'apps.example.io/v1' }, 'listPropagationPolicies'),
    ).toEqual(['other-group', 'unserved-labels'])
    expect(await inNamespace({ kind: 'Secret' }, 'listPropagationPolicies')).toEqual([])
  })

  it('are those that select one object, by its name or its labels', async () => {
    expect(await inNamespace({ ...web, apiVersion: 'apps/v1' }, 'listPropagationPolicies')).toEqual([
      'all',
      'by-labels',
      'by-name',
    ])
    expect(await inNamespace(web, 'listPropagationPolicies')).toEqual([
      'all',
      'by-labels',
      'by-name',
      'other-group',
    ])
    const absent = { kind: 'Deployment', kindName: 'api', apiVersion: 'apps/v1' }
    expect(await inNamespace(absent, 'listPropagationPolicies')).toEqual(['all', 'other-name'])
    expect(
      names(
        await world.calls.read('listInstancePropagationPolicies', {
          ...{ instance: world.instance, namespace: 'default' },
          ...{ ...web, apiVersion: 'apps/v1', fuzzyName: 'by-' },
        }),
      ),
    ).toEqual(['by-labels', 'by-name'])
  })

  it('are counted and paged after the filter', async () => {
    const request = { ...web, apiVersion: 'apps/v1', pageSize: 2, page: 2 }
    const found = await world.calls.read('listPropagationPolicies', {
      ...{ instance: world.instance, namespace: 'default' },
      ...request,
    })
    expect([names(found), found.pagination]).toEqual([
      ['by-name'],
      { total: 3, page: 2, pageSize: 2, pages: 2 },
    ])
  })

  it('of overrides without selectors select everything', async () => {
    expect(await inNamespace({ kind: 'Secret' }, 'listOverridePolicies')).toEqual(['everything'])
    expect(await inNamespace({ ...web, apiVersion: 'apps/v1' }, 'listOverridePolicies')).toEqual([
      'all',
      'by-labels',
      'by-name',
      'everything',
    ])
  })

  it('of a whole instance can be listed for an object of a namespace, or of any', async () => {
    const list = async (more: object) =>
      names(
        await world.calls.read('listClusterPropagationPolicies', {
          ...{ instance: world.instance, apiVersion: 'apps/v1' },
          ...more,
        }),
      )
    expect(await list({ ...web, kindNamespace: 'default' })).toEqual(['all', 'by-labels', 'by-name'])
    expect(await list(web)).toEqual(['all', 'by-labels', 'by-name', 'elsewhere', 'other-labels'])
    expect(await list({ ...web, kindNamespace: 'kube-system' })).toEqual(['all', 'by-name', 'elsewhere'])
  })

  it.each([
    [
      'listPropagationPolicies',
      { namespace: 'default', kindName: 'web' },
      'kindName: means nothing without kind',
    ],
    [
      'listClusterPropagationPolicies',
      { kindNamespace: 'default', apiVersion: 'v1' },
      'kindNamespace: means nothing without kind (and 1 more)',
    ],
    ['listInstancePropagationPolicies', web, 'namespace: is required with kindName: it is the object’s, too'],
  ] as const)('of %s are not listed by %j', async (rpc, more, message) => {
    const refused = await world.calls.both(rpc, { instance: world.instance, ...more })
    expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
    expect(refused.json.message).toBe(message)
  })

  it('do not reveal the labels of an object that the caller may not read', async () => {
    const resourceSelectors = [
      { apiVersion: 'v1', kind: 'Secret', labelSelector: { matchLabels: { a: 'b' } } },
    ]
    await world.create(world.control, TYPES.policies, {
      metadata: { name: 'of-secrets' },
      spec: { resourceSelectors, placement: {} },
    })
    const request = { instance: world.instance, namespace: 'default', kind: 'Secret', kindName: 'hidden' }
    expect(names(await world.calls.read('listPropagationPolicies', request))).toEqual([])
    expect(await world.viewer.both('listPropagationPolicies', request)).toMatchObject({
      ok: false,
      json: { code: 7 },
    })
  })
})
