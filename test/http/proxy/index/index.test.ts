import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../../../../http/api-options.js'
import type { KubeList, KubeObject } from '../../../../manifests/kube.js'
import { CAPABILITIES_ANNOTATION } from '../../../../manifests/pedia-cluster.js'
import type { Playground } from '../../../../playground/fleet/fleet.js'
import type { KubeApi } from '../../../../ports/kube-api.js'
import { eventually } from '../../../scenarios/support/eventually.js'
import { kubectls, runKubectl } from '../../../scenarios/support/kubectl.js'
import { type Answer, curl } from '../../fakes/listening.js'
import { type PlaygroundProxy, startPlaygroundProxy } from '../playground-proxy.js'

const maps = '/api/v1/namespaces/default/configmaps'
let proxy: PlaygroundProxy
let playground: Playground
let api: Api
let root: string

beforeAll(async () => {
  proxy = await startPlaygroundProxy()
  playground = proxy.playground
  api = proxy.api
  root = `/apis/kairship.io/v1alpha1/instances/${proxy.instance}/proxy`
})
afterAll(() => proxy?.close())

const karmada = () => playground.karmadas.get(proxy.instance)!.server

/** A request through the proxy. */
const ask = (path: string, token = playground.tokens.admin, headers: Record<string, string> = {}) =>
  curl(api, `${root}${path}`, { token }, headers)

const write = (method: string, path: string, body?: object, token = playground.tokens.admin) =>
  curl(api, `${root}${path}`, { token }, {}, method, body)

const configMap = (
  name: string,
  data: Record<string, string> = {},
  annotations?: Record<string, string>,
) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...(annotations && { annotations }) },
  data,
})

const sourceOf = ({ headers }: Answer) => [headers['kairship-source'], headers.warning !== undefined]

/** Waits until the index shows an object of which the proxy knows nothing. */
const indexed = (name: string) =>
  eventually(
    `${name} is in the index`,
    async () => (await ask(`${maps}/${name}`)).headers['kairship-source'] === 'index',
  )

/** As the instance itself would answer. */
const directly = <T>(path: string): Promise<T> => karmada().local.request<T>({ method: 'GET', path })

describe('a read through the proxy', () => {
  it('is answered from the index with the instance’s answer', async () => {
    for (const [name, annotations] of [
      ['bare', undefined],
      ['noted', { note: '"quoted"' }],
    ] as const)
      await karmada().local.request({
        method: 'POST',
        path: maps,
        body: configMap(name, { a: 'é' }, annotations),
      })
    await indexed('bare')
    await indexed('noted')
    const list = await ask(maps)
    expect(sourceOf(list)).toEqual(['index', false])
    const whole: KubeList<KubeObject> = JSON.parse(list.text)
    const expected = await directly<KubeList<KubeObject>>(maps)
    expect(whole).toMatchObject({ kind: expected.kind, apiVersion: expected.apiVersion })
    // Lists of built-in types leave out what each of their objects is; an index says it.
    expect(whole.items).toEqual(
      expected.items.map(item => ({ ...item, apiVersion: 'v1', kind: 'ConfigMap' })),
    )
    expect(list.text).not.toContain('shadow.clusterpedia.io')
    for (const name of ['bare', 'noted']) {
      const one = await ask(`${maps}/${name}`)
      expect(sourceOf(one)).toEqual(['index', false])
      expect(JSON.parse(one.text)).toEqual(await directly(`${maps}/${name}`))
    }
  })

  it('is answered by the instance, without a warning, where the index answers differently', async () => {
    const table = await ask(maps, playground.tokens.admin, {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
    })
    expect([...sourceOf(table), JSON.parse(table.text).kind]).toEqual(['karmada', false, 'Table'])
    for (const path of [`${maps}?limit=1`, `${maps}?namespaces=kube-system`, '/api/v1/secrets', '/version'])
      expect(sourceOf(await ask(path)), path).toEqual(['karmada', false])
  })

  it('is answered by the instance when the index finds nothing', async () => {
    const missing = await ask(`${maps}/missing`)
    expect([missing.status, ...sourceOf(missing)]).toEqual([404, 'karmada', false])
  })

  it('is answered by the instance with a warning while the index cannot be read', async () => {
    await playground.containerManagement.setReadApiAvailable(false)
    try {
      const list = await ask(maps)
      expect([list.status, ...sourceOf(list)]).toEqual([200, 'karmada', true])
      expect(list.headers.warning).toMatch(
        /^299 kairship "answered by Karmada: the index could not be read: .+"$/,
      )
    } finally {
      await playground.containerManagement.setReadApiAvailable(true)
    }
    await eventually('the index is read again', async () => sourceOf(await ask(maps))[0] === 'index')
  })
})

describe('the authorization of index reads', () => {
  it('comes from the instance, and limits a reader of one namespace to that', async () => {
    const rbac = '/apis/rbac.authorization.k8s.io/v1'
    const local = karmada().local
    const token = await playground.host.issueToken({ name: 'tenant' }, 600)
    const host = playground.host.local
    const grant = (where: KubeApi, path: string, body: object) =>
      where.request({ method: 'POST', path, body })
    const subjects = [{ kind: 'User', name: 'tenant', apiGroup: 'rbac.authorization.k8s.io' }]
    const bound = (kind: string, role: string) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind,
      metadata: { name: 'tenant' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects,
    })
    await grant(host, `${rbac}/clusterrolebindings`, bound('ClusterRoleBinding', 'kairship-instance-viewer'))
    await grant(local, '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'theirs' },
    })
    await grant(local, '/api/v1/namespaces/theirs/configmaps', configMap('own'))
    await grant(local, `${rbac}/namespaces/theirs/rolebindings`, bound('RoleBinding', 'kairship:viewer'))
    await eventually('what is theirs is in the index', async () => {
      const { headers } = await ask('/api/v1/namespaces/theirs/configmaps/own')
      return headers['kairship-source'] === 'index'
    })

    const own = await ask('/api/v1/namespaces/theirs/configmaps', token)
    expect([own.status, ...sourceOf(own)]).toEqual([200, 'index', false])
    expect(JSON.parse(own.text).items.map((item: KubeObject) => item.metadata.namespace)).toContain('theirs')
    for (const path of [
      ...['/api/v1/configmaps', maps, `${maps}/bare`, '/apis/apps/v1/namespaces/default/deployments'],
      ...['/api/v1/namespaces/theirs/configmaps?namespaces=default', '/api/v1/configmaps?watch=true'],
    ]) {
      const other = await ask(path, token)
      const isOwn = path.includes('theirs')
      expect([path, other.status, ...sourceOf(other)]).toEqual([path, isOwn ? 200 : 403, 'karmada', false])
    }
  })
})

/** The events of a watch, as long as a test wants them. */
async function watched(path: string, token = playground.tokens.admin) {
  const request = httpsRequest(`${api.url}${root}${path}`, {
    ca: api.certificateAuthority,
    agent: false,
    headers: { authorization: `Bearer ${token}` },
  })
  request.end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const events: { type: string; object: KubeObject }[] = []
  let text = ''
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n')
    text = lines.pop() ?? ''
    events.push(...lines.map(line => JSON.parse(line)))
  })
  return { events, headers: response.headers, end: () => request.destroy() }
}

describe('an informer through the proxy', () => {
  it('lists and watches the index with one version', async () => {
    const list = await ask('/api/v1/configmaps?resourceVersion=0&limit=500')
    expect(sourceOf(list)).toEqual(['index', false])
    const { resourceVersion } = (JSON.parse(list.text) as KubeList<KubeObject>).metadata
    const watch = await watched(
      `/api/v1/configmaps?watch=true&allowWatchBookmarks=true&resourceVersion=${resourceVersion}`,
    )
    expect(watch.headers['kairship-source']).toBe('index')
    const path = `${maps}/watched`
    await karmada().local.request({ method: 'POST', path: maps, body: configMap('watched', { a: '1' }) })
    await karmada().local.request({
      method: 'PATCH',
      path,
      contentType: 'application/merge-patch+json',
      body: { data: { a: '2' } },
    })
    await karmada().local.request({ method: 'DELETE', path })
    const seen = () => watch.events.filter(({ object }) => object.metadata.name === 'watched')
    await eventually('all is seen', () => seen().length === 3)
    expect(seen().map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED'])
    expect(JSON.stringify(seen())).not.toContain('shadow.clusterpedia.io')
    watch.end()
  })
})

const namesIn = ({ text }: Answer): string[] =>
  (JSON.parse(text) as KubeList<KubeObject>).items.map(({ metadata }) => metadata.name)

/** Does something while the index takes nothing in and claims to be well. */
async function whileItIsStalled(act: () => Promise<void>): Promise<void> {
  const goOn = playground.containerManagement.interrupt({ kind: 'stall' })
  try {
    await act()
  } finally {
    goOn()
  }
}

/** Moves the index's knowledge of the type on, whoever else is quiet. */
const stir = () =>
  karmada().local.request({
    method: 'POST',
    path: maps,
    body: { ...configMap(''), metadata: { generateName: 'stir-' } },
  })

describe('a caller reads its own writes', () => {
  it('from the instance while the index is stalled, and from the index after that; others from the index throughout', async () => {
    await write('POST', maps, configMap('mine', { a: '1' }))
    await eventually('the index shows it', async () => sourceOf(await ask(`${maps}/mine`))[0] === 'index')
    await write('POST', maps, configMap('doomed'))
    await eventually('the index shows it', async () => sourceOf(await ask(`${maps}/doomed`))[0] === 'index')
    await whileItIsStalled(async () => {
      expect((await write('PUT', `${maps}/mine`, configMap('mine', { a: '2' }))).status).toBe(200)
      expect((await write('POST', maps, configMap('new'))).status).toBe(201)
      expect((await write('DELETE', `${maps}/doomed`)).status).toBe(200)
      const one = await ask(`${maps}/mine`)
      expect([sourceOf(one)[0], JSON.parse(one.text).data.a]).toEqual(['karmada', '2'])
      expect((await ask(`${maps}/new`)).status).toBe(200)
      expect((await ask(`${maps}/doomed`)).status).toBe(404)
      for (const path of [maps, '/api/v1/configmaps', `${maps}?resourceVersion=0`]) {
        const list = await ask(path)
        expect(sourceOf(list)[0]).toBe('karmada')
        expect(namesIn(list)).toEqual(expect.arrayContaining(['mine', 'new']))
        expect(namesIn(list)).not.toContain('doomed')
      }
      const elsewhere = await ask('/api/v1/namespaces/theirs/configmaps')
      const others = await ask(maps, playground.tokens.viewer)
      // Unless the canary has found out meanwhile that nothing moves.
      for (const answer of [elsewhere, others])
        expect(['index', 'karmada']).toContain(answer.headers['kairship-source'])
      if (others.headers['kairship-source'] === 'index') expect(namesIn(others)).toContain('doomed')
    })
    const after = await eventually('the index has caught up', async () => {
      const list = await ask(maps)
      return list.headers['kairship-source'] === 'index' ? list : undefined
    })
    expect(namesIn(after)).toEqual(expect.arrayContaining(['mine', 'new']))
    expect(namesIn(after)).not.toContain('doomed')
  })

  it('after deleting many objects at once', async () => {
    const labelled = (name: string) => ({ ...configMap(name), metadata: { name, labels: { batch: 'x' } } })
    for (const name of ['batch-1', 'batch-2']) await write('POST', maps, labelled(name))
    await whileItIsStalled(async () => {
      expect((await write('DELETE', `${maps}?labelSelector=batch%3Dx`)).status).toBe(200)
      const list = await ask(maps)
      expect(sourceOf(list)[0]).toBe('karmada')
      expect(namesIn(list).filter(name => name.startsWith('batch'))).toEqual([])
    })
    const after = await eventually('the index has caught up', async () => {
      await stir()
      const list = await ask(maps)
      return list.headers['kairship-source'] === 'index' ? list : undefined
    })
    expect(namesIn(after).filter(name => name.startsWith('batch'))).toEqual([])
  })

  it('through another replica that checks newcomers, once the index has reached the state of its first read', async () => {
    const another = await proxy.another(undefined, { checkNewcomers: true })
    const listThere = () => curl(another, `${root}${maps}`, { token: playground.tokens.admin })
    await whileItIsStalled(async () => {
      expect((await write('POST', maps, configMap('beforehand'))).status).toBe(201)
      const list = await listThere()
      expect(sourceOf(list)).toEqual(['karmada', false])
      expect(namesIn(list)).toContain('beforehand')
    })
    const after = await eventually('the index has reached it', async () => {
      await stir()
      const list = await listThere()
      return list.headers['kairship-source'] === 'index' ? list : undefined
    })
    expect(namesIn(after)).toContain('beforehand')
    await another.close()
  })

  it('through another replica, when it sends the versions it needs', async () => {
    const another = await proxy.another()
    const { admin } = playground.tokens
    const askThere = (path: string) => curl(another, `${root}${path}`, { token: admin })
    let path = ''
    await whileItIsStalled(async () => {
      const made: KubeObject = JSON.parse((await write('POST', maps, configMap('elsewhere'))).text)
      path = `${maps}?resourceVersionMatch=NotOlderThan&resourceVersion=${made.metadata.resourceVersion}`
      const list = await askThere(path)
      expect([list.headers['kairship-source'], namesIn(list).includes('elsewhere')]).toEqual([
        'karmada',
        true,
      ])
    })
    const after = await eventually('the index has reached it', async () => {
      const list = await askThere(path)
      return list.headers['kairship-source'] === 'index' ? list : undefined
    })
    expect(namesIn(after)).toContain('elsewhere')
  })

  it.runIf(kubectls().length > 0)('with kubectl', async () => {
    const [kubectl = ''] = kubectls()
    const run = (words: string, input = '') =>
      runKubectl(kubectl, words.split(' '), { kubeconfig: proxy.file('admin'), home: proxy.folder, input })
    const manifest = (value: string) => JSON.stringify(configMap('applied', { value }))
    expect((await run('apply -f -', manifest('1'))).stdout).toBe('configmap/applied created\n')
    await eventually('the index shows it', async () => sourceOf(await ask(`${maps}/applied`))[0] === 'index')
    await whileItIsStalled(async () => {
      expect((await run('apply -f -', manifest('2'))).stdout).toBe('configmap/applied configured\n')
      expect((await run('get configmap applied -o jsonpath={.data.value}')).stdout).toBe('2')
      expect((await run('get configmaps -o jsonpath={.items[*].data.value}')).stdout).toContain('2')
      expect((await run('delete configmap applied')).code).toBe(0)
      expect((await run('get configmaps -o name')).stdout).not.toContain('configmap/applied\n')
    })
    const get = await run('get configmaps -o name -v 8')
    expect(get.stderr).toMatch(/Kairship-Source: (index|karmada)/)
  })
})

describe('an index without declared capabilities, as Clusterpedia’s', () => {
  const annotate = (value: string | null) =>
    playground.host.local.request({
      method: 'PATCH',
      path: `/apis/cluster.clusterpedia.io/v1alpha2/pediaclusters/k-${proxy.instance}`,
      contentType: 'application/merge-patch+json',
      body: { metadata: { annotations: { [CAPABILITIES_ANNOTATION]: value } } },
    })
  const answers = async (path: string) => {
    const { headers } = await ask(path, playground.tokens.viewer)
    return [headers['kairship-source'], headers['kairship-source-reason'], headers.warning !== undefined]
  }

  it('answers lists only', async () => {
    await annotate(null)
    await eventually('that is known', async () => (await answers(`${maps}/bare`))[1] === 'NotLossless')
    expect(await answers(maps)).toEqual(['index', 'Index', false])
    expect(await answers(`${maps}?resourceVersion=0`)).toEqual(['karmada', 'Informer', false])
    const watch = await watched('/api/v1/configmaps?watch=true', playground.tokens.viewer)
    expect(watch.headers['kairship-source']).toBe('karmada')
    watch.end()
  })
})
