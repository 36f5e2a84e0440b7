import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../manifests/kube.js'
import type { ResourceDefinition } from '../../../playground/apimachinery/resource-definition.js'
import { type ApiServer, startApiServer } from '../../../playground/apiserver/server.js'
import { discover } from '../../../playground/client/discovery.js'
import { eventually } from '../eventually.js'

let one: ApiServer
let other: ApiServer
beforeAll(async () => {
  one = await startApiServer({ name: 'one' })
  other = await startApiServer({ name: 'other' })
})
afterAll(() => Promise.all([one.close(), other.close()]))

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const crd = (shortName: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.x.io' },
  spec: {
    group: 'x.io',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', shortNames: [shortName] },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
})
interface Resources {
  readonly resources: readonly { readonly name: string; readonly shortNames?: readonly string[] }[]
}
const shortNames = async (server: ApiServer): Promise<readonly string[] | undefined> => {
  const path = '/apis/x.io/v1'
  const { resources } = await server.local.request<Resources>({ method: 'GET', path })
  return resources.find(({ name }) => name === 'things')?.shortNames
}
const kinds = async (server: ApiServer): Promise<string[]> =>
  (await discover(server.local)).types.map(({ kind }) => kind)

describe('discovery documents that logical clusters share', () => {
  it('list what this cluster serves now, independently of the others and of earlier documents', async () => {
    expect(await kinds(one)).not.toContain('Thing')
    await one.local.request({ method: 'POST', path: CRDS, body: crd('th') })
    await eventually('the type to be served', async () => (await kinds(one)).includes('Thing'))
    expect(await kinds(other)).not.toContain('Thing')
    expect(await shortNames(one)).toEqual(['th'])
    await expect(shortNames(other)).rejects.toThrow('404')

    await other.local.request({ method: 'POST', path: CRDS, body: crd('tg') })
    await eventually('the other to serve it too', async () => (await kinds(other)).includes('Thing'))
    expect([await shortNames(one), await shortNames(other)]).toEqual([['th'], ['tg']])

    const path = `${CRDS}/things.x.io`
    const contentType = 'application/merge-patch+json'
    const body = { spec: { names: { shortNames: ['changed'] } } }
    await one.local.request<KubeObject>({ method: 'PATCH', path, body, contentType })
    await eventually('the new name to show', async () => (await shortNames(one))?.[0] === 'changed')
    await one.local.request({ method: 'DELETE', path })
    await eventually('the type to go', async () => !(await kinds(one)).includes('Thing'))
    expect(await kinds(other)).toContain('Thing')
  })

  it('show at once that an aggregated API is away or back', async () => {
    const definition: ResourceDefinition = {
      group: 'y.io',
      version: 'v1',
      kind: 'Other',
      listKind: 'OtherList',
      plural: 'others',
      singular: 'other',
      shortNames: [],
      categories: [],
      namespaced: false,
      verbs: ['get', 'list', 'watch'],
      subresources: {},
      schema: { type: 'object' },
      printerColumns: [],
      custom: false,
    }
    const api = await other.aggregate({ group: 'y.io', version: 'v1', definitions: [definition] })
    const stale = async () => [...(await discover(other.local)).stale]
    expect(await stale()).toEqual([])
    await api.setAvailable(false)
    expect(await stale()).toEqual(['y.io/v1'])
    await api.setAvailable(true)
    expect(await stale()).toEqual([])
    await api.remove()
    expect(await kinds(other)).not.toContain('Other')
  })
})
