import { request } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { isConflict, isExpired, isNotFound, type StatusError } from '../../../manifests/status-error.js'
import { type ApiServer, startApiServer } from '../../../playground/apiserver/server.js'
import type { WatchEvent } from '../../../ports/kube-api.js'

let server: ApiServer
beforeAll(async () => {
  server = await startApiServer({ name: 'test' })
})
afterAll(() => server.close())

const configMaps = '/api/v1/namespaces/default/configmaps'
const configMap = (name: string, data: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
})

interface Meta {
  readonly metadata: { readonly name: string; readonly resourceVersion: string; readonly uid: string }
}

/** One HTTPS request with a client certificate out of a kubeconfig. */
async function https(
  path: string,
  options: { method?: string; body?: string; headers?: Record<string, string>; kubeconfig?: string } = {},
): Promise<{ code: number; headers: Record<string, unknown>; text: string }> {
  const config = parse(
    options.kubeconfig ?? (await server.kubeconfig({ name: 'admin', groups: ['system:masters'] })),
  )
  const user = config.users[0].user
  const decode = (text: string | undefined) => (text ? Buffer.from(text, 'base64') : undefined)
  return new Promise((resolve, reject) => {
    const call = request(
      `${server.url}${path}`,
      {
        method: options.method ?? 'GET',
        ca: server.certificateAuthority,
        cert: decode(user['client-certificate-data']),
        key: decode(user['client-key-data']),
        headers: {
          ...(user.token ? { authorization: `Bearer ${user.token}` } : {}),
          ...options.headers,
        },
        agent: false,
      },
      response => {
        const chunks: Buffer[] = []
        response.on('data', chunk => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            code: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        )
      },
    )
    call.on('error', reject)
    call.end(options.body)
  })
}

describe('a logical cluster over TLS', () => {
  it('answers health and version to anonymous clients, and no other path', async () => {
    const anonymous = parse(await server.tokenKubeconfig({ name: 'x' }))
    delete anonymous.users[0].user.token
    const kubeconfig = JSON.stringify(anonymous)
    expect((await https('/readyz', { kubeconfig })).text).toBe('ok')
    expect(JSON.parse((await https('/version', { kubeconfig })).text).gitVersion).toMatch(/^v1\.34/)
    const refused = await https('/api/v1/namespaces', { kubeconfig })
    expect(refused.code).toBe(403)
    expect(JSON.parse(refused.text).message).toBe(
      'namespaces is forbidden: User "system:anonymous" cannot list resource "namespaces" in API group "" at the cluster scope',
    )
  })

  it('refuses a token that it did not sign', async () => {
    const answer = await https('/api', {
      kubeconfig: JSON.stringify({ users: [{ user: { token: 'a.b.c' } }] }),
    })
    expect([answer.code, JSON.parse(answer.text).reason]).toEqual([401, 'Unauthorized'])
  })

  it('answers 404 in plain text for unknown paths', async () => {
    const answer = await https('/apis/nothing.example.com/v1/things')
    expect([answer.code, answer.headers['content-type'], answer.text]).toEqual([
      404,
      'text/plain; charset=utf-8',
      '404 page not found\n',
    ])
  })

  it('accepts YAML bodies', async () => {
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: from-yaml}\ndata: {a: "1"}\n'
    const answer = await https(configMaps, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/yaml' },
    })
    expect([answer.code, JSON.parse(answer.text).data]).toEqual([201, { a: '1' }])
  })

  it('refuses a body of more than 3 MiB without reading the rest', async () => {
    const answer = await https(configMaps, {
      method: 'POST',
      body: JSON.stringify(configMap('big', { a: 'x'.repeat(3 * 1024 * 1024) })),
      headers: { 'content-type': 'application/json' },
    })
    expect([answer.code, JSON.parse(answer.text).reason]).toEqual([413, 'RequestEntityTooLarge'])
  })
})

describe('a write', () => {
  it('with an old resourceVersion is refused with Kubernetes’ message', async () => {
    const made = await server.local.request<Meta>({
      method: 'POST',
      path: configMaps,
      body: configMap('contested'),
    })
    const path = `${configMaps}/contested`
    const change = (value: string) => ({
      ...configMap('contested', { a: value }),
      metadata: { name: 'contested', resourceVersion: made.metadata.resourceVersion },
    })
    await server.local.request({ method: 'PUT', path, body: change('1') })
    const error = await server.local.request({ method: 'PUT', path, body: change('2') }).catch(e => e)
    expect(isConflict(error)).toBe(true)
    expect((error as StatusError).message).toBe(
      'Operation cannot be fulfilled on configmaps "contested": the object has been modified; please apply your changes to the latest version and try again',
    )
  })

  it('without a change creates no new version', async () => {
    const made = await server.local.request<Meta>({
      method: 'POST',
      path: configMaps,
      body: configMap('calm', { a: '1' }),
    })
    const again = await server.local.request<Meta>({
      method: 'PUT',
      path: `${configMaps}/calm`,
      body: configMap('calm', { a: '1' }),
    })
    expect(again.metadata.resourceVersion).toBe(made.metadata.resourceVersion)
  })

  it('into a missing namespace is refused with its name', async () => {
    const error = await server.local
      .request({ method: 'POST', path: '/api/v1/namespaces/nowhere/configmaps', body: configMap('x') })
      .catch(e => e)
    expect(isNotFound(error) && error.message).toBe('namespaces "nowhere" not found')
  })
})

async function take(events: AsyncIterable<WatchEvent>, count: number): Promise<string[]> {
  const seen: string[] = []
  for await (const { type, object } of events) {
    seen.push(`${type} ${(object as Meta).metadata.name ?? ''}`.trim())
    if (seen.length === count) break
  }
  return seen
}

describe('a watch', () => {
  it('resumes from a resourceVersion without a gap', async () => {
    const first = await server.local.request<Meta>({
      method: 'POST',
      path: configMaps,
      body: configMap('resume-1'),
    })
    await server.local.request({ method: 'POST', path: configMaps, body: configMap('resume-2') })
    await server.local.request({ method: 'DELETE', path: `${configMaps}/resume-1` })
    const query = { resourceVersion: first.metadata.resourceVersion }
    expect(await take(server.local.watch({ path: configMaps, query }), 2)).toEqual([
      'ADDED resume-2',
      'DELETED resume-1',
    ])
  })

  it('from before a compaction gets one ERROR event with code 410', async () => {
    server.interrupt({ kind: 'compact' })
    const events: WatchEvent[] = []
    for await (const event of server.local.watch({ path: configMaps, query: { resourceVersion: '1' } })) {
      events.push(event)
    }
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } })
  })
})

const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name } })

describe('a paged list', () => {
  it('shows one revision over all pages, whatever is written in between', async () => {
    const path = '/api/v1/namespaces/kube-public/secrets'
    for (const name of ['a', 'b', 'c', 'd']) {
      await server.local.request({ method: 'POST', path, body: secret(name) })
    }
    type List = { items: Meta[]; metadata: { continue?: string; remainingItemCount?: number } }
    const one = await server.local.request<List>({ method: 'GET', path, query: { limit: 2 } })
    expect(one.metadata.remainingItemCount).toBe(2)
    await server.local.request({ method: 'DELETE', path: `${path}/c` })
    await server.local.request({ method: 'POST', path, body: secret('bb') })
    const two = await server.local.request<List>({
      method: 'GET',
      path,
      query: { limit: 2, continue: one.metadata.continue },
    })
    expect([...one.items, ...two.items].map(item => item.metadata.name)).toEqual(['a', 'b', 'c', 'd'])
    server.interrupt({ kind: 'compact' })
    await server.local.request({ method: 'POST', path, body: secret('e') })
    server.interrupt({ kind: 'compact' })
    const late = await server.local
      .request({ method: 'GET', path, query: { limit: 2, continue: one.metadata.continue } })
      .catch(e => e)
    expect(isExpired(late)).toBe(true)
  })
})

describe('a custom resource', () => {
  it('is served as soon as its CRD is created, and deleted with it', async () => {
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural: 'widgets', kind: 'Widget', singular: 'widget', listKind: 'WidgetList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: {
              openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        ],
      },
    }
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    await server.local.request({ method: 'POST', path: crds, body: crd })
    const widget = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w' },
      spec: { size: 1 },
    }
    await server.local.request({ method: 'POST', path: '/apis/example.com/v1/widgets', body: widget })
    await expect
      .poll(() => server.local.request({ method: 'GET', path: `${crds}/widgets.example.com` }))
      .toMatchObject({
        status: { conditions: [{ type: 'NamesAccepted' }, { type: 'Established', status: 'True' }] },
      })
    await server.local.request({ method: 'DELETE', path: `${crds}/widgets.example.com` })
    await expect
      .poll(() =>
        server.local.request({ method: 'GET', path: '/apis/example.com/v1/widgets' }).then(
          () => 'served',
          (error: StatusError) => error.message,
        ),
      )
      .toBe('404 page not found')
  })
})
