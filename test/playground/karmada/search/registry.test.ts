import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubeConnector } from '../../../../actors/kube/connector.js'
import { RESOURCE_REGISTRIES, type ResourceRegistry } from '../../../../karmada/objects/resource-registry.js'
import { resourcePath } from '../../../../manifests/kube.js'
import { type Karmada, startKarmada } from '../../../../playground/karmada/control-plane.js'
import { silent } from '../../../silent.js'
import { GROUP, get, refusal, registry } from './search-world.js'

let karmada: Karmada
beforeAll(async () => {
  karmada = await startKarmada({ name: 'k', connector: kubeConnector(), log: silent })
})
afterAll(() => karmada.close())

const create = (name: string, spec: object, more: object = {}) =>
  karmada.server.local.request<ResourceRegistry>({
    method: 'POST',
    path: resourcePath(RESOURCE_REGISTRIES),
    body: { ...registry(name, [], [], spec), ...more },
  })

describe('the API group search.karmada.io', () => {
  it('is found by discovery, with the types that have no objects', async () => {
    const { resources } = await get<{ resources: { name: string; kind: string; verbs: string[] }[] }>(
      karmada.server.local,
      GROUP,
    )
    expect(resources.map(({ name, kind, verbs }) => `${name} ${kind} ${verbs.join()}`)).toEqual([
      'resourceregistries ResourceRegistry create,delete,deletecollection,get,list,patch,update,watch',
      'resourceregistries/status ResourceRegistry get,patch,update',
      'proxying Proxying create,delete,get,patch,update',
      'search Search get',
    ])
  })

  it('is an APIService of karmada-search', async () => {
    const path = '/apis/apiregistration.k8s.io/v1/apiservices/v1alpha1.search.karmada.io'
    expect(await get(karmada.server.local, path)).toMatchObject({
      spec: { service: { namespace: 'karmada-system', name: 'karmada-search' } },
      status: { conditions: [{ type: 'Available', status: 'True' }] },
    })
  })

  it('is described in OpenAPI', async () => {
    const document = await get<{ paths: object }>(karmada.server.local, `/openapi/v3${GROUP}`)
    expect(Object.keys(document.paths)).toContain(`${GROUP}/resourceregistries/{name}`)
  })
})

describe('a ResourceRegistry', () => {
  it('is stored with what it says, without a generation', async () => {
    const made = await create('plain', {
      targetCluster: {},
      resourceSelectors: [{ apiVersion: 'v1', kind: 'Pod' }],
    })
    expect(made.metadata).not.toHaveProperty('generation')
    expect(made.spec?.resourceSelectors).toEqual([{ apiVersion: 'v1', kind: 'Pod' }])
  })

  it.each([
    [
      'a field of clusters that none is selected by',
      {
        targetCluster: {
          fieldSelector: { matchExpressions: [{ key: 'name', operator: 'In', values: ['a'] }] },
        },
      },
      'spec.targetCluster.fieldSelector: Invalid value: {"matchExpressions":[{"key":"name","operator":"In","values":["a"]}]}: unsupported key "name", must be provider, region, or zone',
    ],
    [
      'a version with two slashes',
      { resourceSelectors: [{ apiVersion: 'a/b/c', kind: 'Pod' }] },
      'spec.resourceSelectors[0].apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ],
    [
      'a namespace that is none',
      { resourceSelectors: [{ apiVersion: 'v1', kind: 'Pod', namespace: 'A' }] },
      'spec.resourceSelectors[0].namespace: Invalid value: "A": a lowercase RFC 1123 label must consist of',
    ],
    [
      'an address that is no URL of HTTP',
      { backendStore: { openSearch: { addresses: ['ftp://a'], secretRef: { namespace: 'n', name: 's' } } } },
      'spec.backendStore.openSearch.addresses[0]: Invalid value: "ftp://a": must be a valid http or https URL with non-empty scheme and host',
    ],
  ])('is refused with %s', async (_what, spec, message) => {
    const error = await refusal(create('wrong', spec))
    expect(error.code).toBe(422)
    expect(error.message).toContain(`ResourceRegistry.search.karmada.io "wrong" is invalid: ${message}`)
  })

  it('takes its status with the object, as the real one does', async () => {
    const conditions = [
      { type: 'A', status: 'True', reason: 'B', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ]
    expect((await create('with-status', {}, { status: { conditions } })).status).toEqual({ conditions })
  })
})
