import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { AggregationService } from '../../../proto/gen/kairship/aggregation_pb.js'
import { ManagedWorld, TYPES } from '../support/managed-world.js'

const world = new ManagedWorld(AggregationService)
const PLURAL = { configMap: TYPES.configMaps, policy: TYPES.policies }
const configMap = (name: string, more: object = {}) => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...more }, data: { a: '1' } },
})
const policy = (
  name: string,
  kind = 'PropagationPolicy',
  selected: object = { apiVersion: 'v1', kind: 'ConfigMap' },
) => ({
  ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind, metadata: { name } },
  spec: {
    resourceSelectors: [{ ...selected, name }],
    placement: { clusterAffinity: { clusterNames: [...world.members] } },
  },
})
const overrides = (name: string) => ({
  ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'OverridePolicy', metadata: { name } },
  spec: {
    resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name }],
    overrideRules: [{ overriders: { plaintext: [{ path: '/data/a', operator: 'replace', value: '2' }] } }],
  },
})
const texts = (...manifests: object[]) => manifests.map(one => JSON.stringify(one))
const create = (data: object, more: object = {}) =>
  world.calls.overRest('createAggregationResource', {
    ...{ instance: world.instance, namespace: 'default', data, ...more },
  } as never)
const both = (data: object, more: object = {}) =>
  world.calls.both('createAggregationResource', {
    ...{ instance: world.instance, namespace: 'default', data, ...more },
  } as never)
const isThere = async (what: keyof typeof PLURAL, name: string) =>
  (await world.find(world.control, PLURAL[what], { namespace: 'default', name })) !== undefined

describe('resources that are created with their policies', () => {
  it('reach the members with their overrides', async () => {
    const { ok, json, text } = await create({
      resources: [stringify(configMap('web', { namespace: 'elsewhere' }))],
      popagrationpolicies: texts(policy('web')),
      overridepolicies: [stringify(overrides('web'))],
    })
    expect(ok, text).toBe(true)
    const [resource, placed, overridden] = ['resources', 'popagrationpolicies', 'overridepolicies'].map(key =>
      json[key].map((one: string) => JSON.parse(one)),
    )
    expect(resource).toMatchObject([{ kind: 'ConfigMap', metadata: { name: 'web', namespace: 'default' } }])
    expect(placed).toMatchObject([{ kind: 'PropagationPolicy', metadata: { uid: expect.any(String) } }])
    expect(overridden).toMatchObject([{ kind: 'OverridePolicy' }])
    for (const member of world.members)
      await world.in(
        member,
        TYPES.configMaps,
        { namespace: 'default', name: 'web' },
        found => found.data.a === '2',
      )
  })

  it('are not created when one is refused; the error names the field, over REST and gRPC', async () => {
    await world.create(world.control, TYPES.configMaps, configMap('taken'))
    const taken = await both({
      resources: texts(configMap('new'), configMap('taken')),
      popagrationpolicies: texts(policy('new')),
    })
    expect(taken.json.code).toBe(6)
    const wrong = await both({
      resources: texts(configMap('new')),
      popagrationpolicies: texts(policy('new'), {
        ...policy('bad'),
        spec: { ...policy('bad').spec, preemption: 'Sometimes' },
      }),
    })
    expect([wrong.json.code, wrong.text]).toEqual([3, expect.stringContaining('data.popagrationpolicies[1]')])
    expect([await isThere('configMap', 'new'), await isThere('policy', 'new')]).toEqual([false, false])
  })

  it('are rolled back when a later one fails after its dry run', async () => {
    const { server } = world.world.playground.karmadas.get(world.instance)!
    const undo = server.interrupt({
      kind: 'answer',
      matches: ({ method, path, query }) =>
        method === 'POST' && path.endsWith('/configmaps') && !query.has('dryRun'),
      response: {
        code: 500,
        body: {
          object: {
            ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 500 },
            ...{ message: 'told to fail', reason: 'InternalError' },
          },
        },
      },
    })
    try {
      const { ok, text } = await create({
        resources: texts(configMap('late')),
        popagrationpolicies: texts(policy('late')),
      })
      expect([ok, text]).toEqual([false, expect.stringContaining('told to fail')])
    } finally {
      undo()
    }
    expect(await isThere('policy', 'late')).toBe(false)
  })

  it('without a namespace are created with cluster policies', async () => {
    const name = 'made-together'
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
    const role = {
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules: [] },
    }
    const selected = { apiVersion: role.apiVersion, kind: role.kind }
    const { ok, json, text } = await world.calls.overRest('createClusterAggregationResource', {
      instance: world.instance,
      data: {
        resources: texts(namespace, role),
        clusterpopagrationpolicies: texts(policy(name, 'ClusterPropagationPolicy', selected)),
      },
      gvr: [
        { version: 'v1', resource: 'namespaces' },
        { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' },
      ],
    })
    expect(ok, text).toBe(true)
    expect(json.resources.map((one: string) => JSON.parse(one).kind)).toEqual(['Namespace', 'ClusterRole'])
    expect(json.clusterpopagrationpolicies).toHaveLength(1)
  })
})

describe('an invalid request', () => {
  const rows: [string, object, object, string][] = [
    ['no manifest', {}, {}, 'data: has 0 manifests: send 1 to 50'],
    ['too many', { resources: Array.from({ length: 51 }, () => '{}') }, {}, 'has 51 manifests'],
    ['no YAML', { resources: ['a: ['] }, {}, 'data.resources[0]: is neither JSON nor YAML'],
    ['no object', { resources: ['1'] }, {}, 'data.resources[0].apiVersion: is required'],
    ['several documents', { resources: ['a: 1\n---\nb: 2'] }, {}, 'holds 2 documents'],
    [
      'a type that is not served',
      { resources: texts({ apiVersion: 'no.such/v1', kind: 'X' }) },
      {},
      'data.resources[0].apiVersion',
    ],
    [
      'an object of the other scope',
      { resources: texts({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } }) },
      {},
      'send it to CreateClusterAggregationResource',
    ],
    [
      'a policy of another kind',
      { overridepolicies: texts(configMap('x')) },
      {},
      'data.overridepolicies[0].kind',
    ],
    [
      'types that are too few',
      { resources: texts(configMap('x'), configMap('y')) },
      { gvr: [{ version: 'v1', resource: 'configmaps' }] },
      'has 1 types for 2 resources',
    ],
    [
      'a type of something else',
      { resources: texts(configMap('x')) },
      { gvr: [{ version: 'v1', resource: 'secrets' }] },
      'gvr[0]',
    ],
  ]
  it.each(rows)('is refused: %s', async (_, data, more, words) => {
    const { json, text } = await both(data, more)
    expect([json.code, text]).toEqual([3, expect.stringContaining(words)])
  })

  it('is refused for a caller who may only read', async () => {
    const data = { resources: texts(configMap('x')) }
    const request = { instance: world.instance, namespace: 'default', data }
    expect((await world.viewer.both('createAggregationResource', request)).json.code).toBe(7)
  })
})
