import type { JsonObject } from '@bufbuild/protobuf'
import { beforeAll, describe, expect, it } from 'vitest'
import { PolicyService } from '../../../proto/gen/kairship/policy_pb.js'
import { eventually } from '../support/eventually.js'
import { ManagedWorld, TYPES } from '../support/managed-world.js'
import { EMPTY, whileFollowing } from '../support/while-following.js'

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

  it.each([
    ['watchPropagationPolicies', 'propagationPolicy', 'policies', 'namespace'],
    ['watchClusterPropagationPolicies', 'clusterPropagationPolicy', 'clusterPolicies', 'kindNamespace'],
    ['watchOverridePolicies', 'overridePolicy', 'overridePolicies', 'namespace'],
    ['watchClusterOverridePolicies', 'clusterOverridePolicy', 'clusterOverridePolicies', 'kindNamespace'],
  ] as const)('are followed with %s, with the labels that the object has by then', async (...row) => {
    const [rpc, field, types, namespaceField] = row
    const type = TYPES[types]
    const kindName = `for-${field.toLowerCase()}`
    const configMap = { metadata: { name: kindName, labels: { tier: 'front' } } }
    await world.create(world.control, TYPES.configMaps, configMap)
    const about = (tier: string) => [
      { apiVersion: 'v1', kind: 'ConfigMap', labelSelector: { matchLabels: { tier } } },
    ]
    const rules = rpc.includes('Override') ? { overrideRules } : { placement: {} }
    const make = (name: string, resourceSelectors: readonly object[]) =>
      world.create(world.control, type, { metadata: { name }, spec: { resourceSelectors, ...rules } })
    const key = (name: string) => ({ name, ...(namespaceField === 'namespace' && { namespace: 'default' }) })
    const request = { instance: world.instance, name: 'watched-', kind: 'ConfigMap', kindName }
    await whileFollowing(world.calls, rpc, { ...request, [namespaceField]: 'default' }, field, async told => {
      expect(await told(2)).toEqual(EMPTY)
      await make('watched-other-kind', [{ ...ofDeployments, name: kindName }])
      await make('watched-back', about('back'))
      await make('watched-front', about('front'))
      expect((await told(3))[2]).toEqual(['ADDED', 1, 'watched-front'])
      await world.patch(world.control, type, key('watched-front'), {
        spec: { resourceSelectors: about('side') },
      })
      expect((await told(4))[3]).toEqual(['LEFT', 0, 'watched-front'])
      const isBack = { metadata: { labels: { tier: 'back' } } }
      await world.patch(world.control, TYPES.configMaps, { namespace: 'default', name: kindName }, isBack)
      await world.patch(world.control, type, key('watched-back'), { metadata: { annotations: { a: 'b' } } })
      expect((await told(5))[4]).toEqual(['ADDED', 1, 'watched-back'])
    })
  })

  it('are followed again after a token, but not after that of another filter', async () => {
    const request = { instance: world.instance, namespace: 'default', name: 'by-', kind: 'Deployment' }
    const rpc = 'watchPropagationPolicies'
    const { rest, grpc } = world.calls.follow(rpc, request)
    let resumeToken = ''
    try {
      await eventually('the list is whole', () => rest.steps[3], { story: rest.text })
      resumeToken = rest.steps[3]?.resumeToken as string
    } finally {
      rest.close()
      grpc.close()
    }
    const first = async (more: JsonObject) => {
      let step: unknown
      await whileFollowing(world.calls, rpc, { ...request, resumeToken, ...more }, 'none', async told => {
        step = (await told(1))[0]
      })
      return step
    }
    expect(await first({})).toEqual(['BOOKMARK', 2, undefined])
    expect(await first({ kindName: 'web' })).toEqual(['RESET', 0, undefined])
  })

  it.each([
    [
      'watchPropagationPolicies',
      { namespace: 'default', kindName: 'web' },
      'kindName: means nothing without kind',
    ],
    [
      'watchOverridePolicies',
      { kind: 'Deployment', kindName: 'web' },
      'namespace: is required with kindName: it is the object’s, too',
    ],
    [
      'watchClusterOverridePolicies',
      { kindNamespace: 'default' },
      'kindNamespace: means nothing without kind',
    ],
  ] as const)('are not followed with %s by %j', async (rpc, more, message) => {
    const refused = await world.calls.overRest(rpc, { instance: world.instance, ...more })
    expect(refused).toMatchObject({ ok: false, json: { code: 3, message } })
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
    expect(await world.viewer.overRest('watchPropagationPolicies', request)).toMatchObject({
      ok: false,
      json: { code: 7 },
    })
    expect(await world.viewer.both('listPropagationPolicies', request)).toMatchObject({
      ok: false,
      json: { code: 7 },
    })
  })
})
