import { afterAll, beforeAll, expect, it } from 'vitest'
import type { StatusError } from '../../../manifests/status-error.js'
import {
  type ResourceDefinition,
  STORED_VERBS,
} from '../../../playground/apimachinery/resource-definition.js'
import { type ApiServer, startApiServer } from '../../../playground/apiserver/server.js'
import { plainText } from '../../../playground/apiserver/wire/exchange.js'

const clusters: ResourceDefinition = {
  group: 'cluster.karmada.io',
  version: 'v1alpha1',
  kind: 'Cluster',
  listKind: 'ClusterList',
  plural: 'clusters',
  singular: 'cluster',
  shortNames: [],
  categories: [],
  namespaced: false,
  verbs: STORED_VERBS,
  subresources: { status: true, others: [{ name: 'proxy', kind: 'ClusterProxyOptions', verbs: ['get'] }] },
  schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  printerColumns: [],
  custom: false,
}

let server: ApiServer
beforeAll(async () => {
  server = await startApiServer({ name: 'aggregating' })
})
afterAll(() => server.close())

const path = '/apis/cluster.karmada.io/v1alpha1/clusters'
const get = (at: string): Promise<unknown> =>
  server.local.request({ method: 'GET', path: at }).catch((error: StatusError) => [error.code, error.message])

it('an aggregated type is stored and has subresources in code, and gets 503 in plain text while its API is away', async () => {
  const api = await server.aggregate({
    group: 'cluster.karmada.io',
    version: 'v1alpha1',
    definitions: [clusters],
    connect: {
      'clusters/proxy': async ({ info, user }) =>
        plainText(200, `${user.name} wants ${info.rest} of ${info.name}`),
    },
  })
  await server.local.request({ method: 'POST', path, body: { metadata: { name: 'm1' } } })
  expect(await get(`${path}/m1/proxy/api/v1/nodes`)).toBe('system:admin wants api/v1/nodes of m1')

  await api.setAvailable(false)
  expect(await get(path)).toEqual([503, 'service unavailable'])
  const service = '/apis/apiregistration.k8s.io/v1/apiservices/v1alpha1.cluster.karmada.io'
  expect(await get(service)).toMatchObject({
    status: { conditions: [{ type: 'Available', status: 'False', reason: 'FailedDiscoveryCheck' }] },
  })
  expect(await get('/apis')).toMatchObject({
    groups: expect.arrayContaining([expect.objectContaining({ name: 'cluster.karmada.io' })]),
  })

  await api.setAvailable(true)
  expect(await get(path)).toMatchObject({ items: [{ metadata: { name: 'm1' } }] })
  await api.remove()
  expect(await get(path)).toEqual([404, '404 page not found'])
})
