import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeList, KubeObject } from '../../../../manifests/kube.js'
import { eventually } from '../../../scenarios/support/eventually.js'
import { curl } from '../../fakes/listening.js'
import { type PlaygroundProxy, startPlaygroundProxy } from '../playground-proxy.js'

const maps = '/api/v1/namespaces/default/configmaps'
let proxy: PlaygroundProxy
let undo: () => void = () => undefined

beforeAll(async () => {
  proxy = await startPlaygroundProxy()
})
afterAll(() => proxy?.close())

const karmada = () => proxy.playground.karmadas.get(proxy.instance)!.server.local

/** A request through the proxy, with a body as JSON where there is one. */
async function ask(path: string, method = 'GET', body?: object, contentType = 'application/json') {
  const root = `/apis/kairship.io/v1alpha1/instances/${proxy.instance}/proxy`
  const { admin } = proxy.playground.tokens
  // Node does not measure the body of a DELETE by itself.
  const length = body && String(Buffer.byteLength(JSON.stringify(body)))
  const headers: Record<string, string> = length
    ? { 'content-type': contentType, 'content-length': length }
    : {}
  const {
    status,
    headers: answered,
    text,
  } = await curl(proxy.api, `${root}${path}`, { token: admin }, headers, method, body)
  return {
    status,
    text,
    source: answered['kairship-source'],
    reason: answered['kairship-source-reason'],
    warning: answered.warning,
  }
}

const indexed = (path: string) =>
  eventually(`${path} is in the index`, async () => (await ask(path)).source === 'index')

/** Runs an act while the index takes in nothing and claims to be well. */
async function whileStalled(act: () => Promise<void>) {
  undo = proxy.playground.containerManagement.interrupt({ kind: 'stall' })
  try {
    await act()
  } finally {
    undo()
  }
}

const create = async (path: string, body: object) => {
  await karmada().request({ method: 'POST', path, body })
}
const merge = 'application/merge-patch+json'

describe('a caller reads its own write', () => {
  it('to a type whose path is percent-encoded', async () => {
    await create(maps, { metadata: { name: 'encoded' }, data: { v: '0' } })
    await indexed(`${maps}/encoded`)
    await whileStalled(async () => {
      const path = '/api/v1/namespaces/default/%63onfigmaps/encoded'
      expect((await ask(path, 'PATCH', { data: { v: '1' } }, merge)).status).toBe(200)
      const read = await ask(`${maps}/encoded`)
      expect([read.source, JSON.parse(read.text).data]).toEqual(['karmada', { v: '1' }])
    })
  })

  it('of a deletion with a dry run only in its query, and a body', async () => {
    await create(maps, { metadata: { name: 'dry' } })
    await indexed(`${maps}/dry`)
    await whileStalled(async () => {
      const options = { kind: 'DeleteOptions', apiVersion: 'v1' }
      expect((await ask(`${maps}/dry?dryRun=All`, 'DELETE', options)).status).toBe(200)
      expect((await ask(`${maps}/dry`)).status).toBe(404)
    })
  })

  it('and a dry run sends none of its reads to the instance', async () => {
    await create(maps, { metadata: { name: 'kept' } })
    await indexed(`${maps}/kept`)
    await indexed(maps)
    await whileStalled(async () => {
      expect((await ask(`${maps}/kept?dryRun=All`, 'DELETE')).status).toBe(200)
      const query = '?dryRun=All'
      expect((await ask(`${maps}/kept${query}`, 'PATCH', { data: { v: '1' } }, merge)).status).toBe(200)
      expect((await ask(`${maps}/kept`)).source).toBe('index')
    })
  })
})

describe('an index answer equals the instance’s answer', () => {
  it.each(['-bad', 'a%3Db%3Dc', ',', 'app+IN+(web)'])(
    'for a malformed label selector %s: a 400 without a warning about the index',
    async selector => {
      await indexed(maps)
      const { status, reason, warning } = await ask(`${maps}?labelSelector=${selector}`)
      expect([status, reason, warning]).toEqual([400, 'LabelSelector', undefined])
    },
  )

  it('for a list over all namespaces: sorted by etcd key', async () => {
    const namespaces = ['order', 'order-b', 'orderb']
    for (const name of namespaces) {
      await create('/api/v1/namespaces', { metadata: { name } })
      await create(`/api/v1/namespaces/${name}/configmaps`, { metadata: { name: 'x', labels: { a: 'b' } } })
    }
    const all = '/api/v1/configmaps?labelSelector=a%3Db'
    const ofInstance = await karmada().request<KubeList<KubeObject>>({
      method: 'GET',
      path: '/api/v1/configmaps',
      query: { labelSelector: 'a=b' },
    })
    const placesOf = ({ items = [] }: Partial<KubeList<KubeObject>>) =>
      items.map(({ metadata }) => metadata.namespace)
    expect(placesOf(ofInstance)).toEqual(['order-b', 'order', 'orderb'])
    await eventually('they are in the index', async () => {
      const { source, text } = await ask(all)
      return source === 'index' && placesOf(JSON.parse(text)).length === 3
    })
    for (const path of [all, '/api/v1/configmaps']) {
      const places = placesOf(JSON.parse((await ask(path)).text)).filter(name => name?.startsWith('order'))
      expect(places).toEqual(['order-b', 'order', 'orderb'])
    }
  })
})

// Last, because the type is gone after it.
it('a caller that deletes many CRDs at once reads their objects from the instance', async () => {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const policies = '/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies'
  await create(policies, {
    metadata: { name: 'p' },
    spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'nothing' }] },
  })
  await indexed(`${policies}/p`)
  await indexed(policies)
  await whileStalled(async () => {
    const one = 'fieldSelector=metadata.name%3Dpropagationpolicies.policy.karmada.io'
    expect((await ask(`${definitions}?${one}`, 'DELETE')).status).toBe(200)
    const read = await ask(`${policies}/p`)
    expect([read.source, read.warning]).toEqual(['karmada', undefined])
    await eventually('the type is gone', async () => (await ask(policies)).status === 404)
    const gone = await ask(policies)
    expect([gone.source, gone.warning]).toEqual(['karmada', undefined])
  })
})
