import { expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import type { ListQuery } from '../../../../http/objects/list-query.js'
import type { ObjectType, Place } from '../../../../http/objects/object-type.js'
import type { ObjectCall, Objects } from '../../../../http/objects/objects.js'
import { previewOverride } from '../../../../http/rpc/placement/preview.js'
import { Reader } from '../../../../http/rpc/placement/reader.js'
import type { OverridePolicy } from '../../../../karmada/objects/override-policy.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { NO_OWN_READS } from './own-reads.js'

it('a preview over many templates sends one request per list', async () => {
  const lists: string[] = []
  const deployments = ['a', 'b', 'c'].map(name => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'shop' },
  }))
  const objects = {
    typeOf: async () => ({
      group: 'apps',
      version: 'v1',
      resource: 'deployments',
      kind: 'Deployment',
      namespaced: true,
    }),
    get: async () => ({ spec: { clusters: [] } }),
    async list(
      _: ObjectCall,
      __: Place,
      { resource }: ObjectType,
      { namespace = '*' }: ListQuery<KubeObject>,
    ) {
      lists.push(`${namespace}/${resource}`)
      return { items: resource === 'deployments' ? deployments : [] }
    },
  } as unknown as Objects
  const reader = new Reader(objects, NO_OWN_READS, {} as Call, { instance: 'eu' })
  const policy: OverridePolicy & KubeObject = {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'OverridePolicy',
    metadata: { name: 'images', namespace: 'shop' },
    spec: { resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }], overrideRules: [] },
  }
  const { templates } = await previewOverride(reader, policy)
  expect(templates).toHaveLength(3)
  expect(lists.sort()).toEqual([
    '*/clusteroverridepolicies',
    '*/clusters',
    'shop/deployments',
    'shop/overridepolicies',
  ])
})

it.each([
  ['no manifests', { spec: { workload: {} } }],
  ['no workload', { spec: {} }],
  ['no spec', {}],
  ['manifests that are null', { spec: { workload: { manifests: null } } }],
  ['a manifest that is null', { spec: { workload: { manifests: [null, {}] } } }],
])('a Work with %s is one without manifests', async (_, work) => {
  const ownReads = {
    get: async () => ({ metadata: { name: 'w', namespace: 'karmada-es-m' }, ...work }) as never,
  }
  const reader = new Reader({} as Objects, ownReads, {} as Call, { instance: 'eu' })
  const found = await reader.works({ kind: 'ConfigMap', namespace: 'shop', name: 'x' }, ['m'])
  expect(found).toMatchObject([{ metadata: { name: 'w' }, spec: { workload: { manifests: [] } } }])
})
