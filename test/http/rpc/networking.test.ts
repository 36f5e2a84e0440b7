import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { create as create$, type Message, toJson } from '@bufbuild/protobuf'
import { credentials, type Metadata, makeClientConstructor } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serviceDefinition } from '../../../http/grpc/definition.js'
import { NetworkingService } from '../../../proto/gen/kairship/networking_pb.js'
import { eventually } from '../../scenarios/support/eventually.js'
import { bearer, curl, TLS_NAME } from '../fakes/listening.js'
import { letIn, type PlaygroundProxy, startPlaygroundProxy } from '../proxy/playground-proxy.js'

let world: PlaygroundProxy
beforeAll(async () => {
  world = await startPlaygroundProxy()
  await letIn(world)
})
afterAll(() => world.close())

const manifest = (name: string, more: object = {}) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name, ...more },
  spec: {
    ingressClassName: 'nginx',
    rules: [
      {
        host: `${name}.test`,
        http: {
          paths: [
            {
              path: '/',
              pathType: 'Prefix',
              backend: { service: { name: 'web', port: { number: 80 } } },
            },
          ],
        },
      },
    ],
  },
})

/** One call of the management API about the instance. */
async function ask(method: string, path: string, body?: object, token = world.playground.tokens.admin) {
  const url = `/apis/kairship.io/v1alpha1/instances/${world.instance}${path}`
  const answer = await curl(world.api, url, { token }, {}, method, body)
  return { ...answer, json: JSON.parse(answer.text) }
}

const create = (name: string, more?: object) =>
  ask('POST', '/namespaces/default/ingresses', { data: JSON.stringify(manifest(name, more)) })

describe('Ingresses of an instance', () => {
  it('are created from YAML, read, listed, replaced, annotated and deleted', async () => {
    const yaml = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: first
  namespace: elsewhere
spec:
  defaultBackend: {service: {name: web, port: {number: 80}}}
`
    const created = await ask('POST', '/namespaces/default/ingresses', { data: yaml })
    expect(created.status, created.text).toBe(200)
    expect(JSON.parse(created.json.data).metadata).toMatchObject({ name: 'first', namespace: 'default' })

    const { json: shown } = await ask('GET', '/namespaces/default/ingresses/first')
    expect(shown.metadata).toMatchObject({ name: 'first', namespace: 'default', cluster: '' })
    expect(Number(shown.metadata.creationTimestamp)).toBeGreaterThan(1_600_000_000_000)

    const { json: whole } = await ask('GET', '/namespaces/default/ingresses/first/json')
    const object = JSON.parse(whole.data)
    const replaced = await ask('PUT', '/namespaces/default/ingresses/first', {
      data: JSON.stringify({ ...object, spec: manifest('first').spec }),
    })
    expect(replaced.status, replaced.text).toBe(200)
    const stale = await ask('PUT', '/namespaces/default/ingresses/first', { data: JSON.stringify(object) })
    expect([stale.status, stale.json.code]).toEqual([409, 10])

    const patched = await ask('PATCH', '/namespaces/default/ingresses/first', { data: { note: 'kept' } })
    expect(patched.status, patched.text).toBe(200)
    const { json: after } = await ask('GET', '/namespaces/default/ingresses/first')
    expect(after.metadata.annotations).toEqual({ note: 'kept' })
    expect(after.spec.rules[0]).toEqual({
      host: 'first.test',
      http: {
        paths: [
          {
            path: '/',
            pathType: 'Prefix',
            backend: { service: { name: 'web', port: { name: '', number: 80 } } },
          },
        ],
      },
    })

    expect((await ask('DELETE', '/namespaces/default/ingresses/first')).json).toEqual({})
    expect((await ask('GET', '/namespaces/default/ingresses/first')).status).toBe(404)
  })

  it('are listed sorted, searched and paged, with how many there are', async () => {
    for (const name of ['c-web', 'a-web', 'b-api']) await create(name, { labels: { app: name.slice(2) } })
    const names = async (query: string) => {
      const { json, text } = await ask('GET', `/namespaces/default/ingresses?${query}`)
      return json.items
        ? [
            json.items.map((item: { metadata: { name: string } }) => item.metadata.name),
            json.pagination.total,
          ]
        : text
    }
    expect(await names('')).toEqual([['a-web', 'b-api', 'c-web'], 3])
    expect(await names('sortBy=field_name&sortDir=desc&page=1&pageSize=2')).toEqual([['c-web', 'b-api'], 3])
    expect(await names('sortBy=field_name&sortDir=desc&page=2&pageSize=2')).toEqual([['a-web'], 3])
    expect(await names('fuzzyName=web')).toEqual([['a-web', 'c-web'], 2])
    expect(await names('labelSelector=app%3Dapi')).toEqual([['b-api'], 1])
    expect(await names('fieldSelector=metadata.name%3Dc-web')).toEqual([['c-web'], 1])
    expect((await ask('GET', '/ingresses')).json.pagination.total).toBe(3)
    for (const name of ['c-web', 'a-web', 'b-api'])
      await ask('DELETE', `/namespaces/default/ingresses/${name}`)
  })

  it('are the same over gRPC, with where they are from in its metadata', async () => {
    await create('on-both')
    await eventually('the index shows it', async () => {
      const { headers, json } = await ask('GET', '/namespaces/default/ingresses')
      return headers['kairship-source'] === 'index' && json.items.length === 1
    })
    const rest = await ask('GET', '/namespaces/default/ingresses')
    const Client = makeClientConstructor(serviceDefinition(NetworkingService) as never, 'Networking')
    const authority = credentials.createSsl(Buffer.from(world.api.certificateAuthority ?? ''))
    const client = new Client(world.api.grpcAddress, authority, TLS_NAME)
    const { input, output } = NetworkingService.method.listIngresses
    const request = create$(input, { instance: world.instance, namespace: 'default' })
    const metadata = bearer(world.playground.tokens.admin)
    const [answer, trailer] = await new Promise<[Message, Metadata]>((resolve, reject) => {
      let message: Message
      client.ListIngresses!(request, metadata, (error: Error | null, answer: Message) => {
        if (error) reject(error)
        else message = answer
      }).on('status', (status: { metadata: Metadata }) => resolve([message, status.metadata]))
    })
    client.close()
    expect(toJson(output, answer as never, { alwaysEmitImplicit: true })).toEqual(rest.json)
    for (const name of ['kairship-source', 'kairship-source-reason'])
      expect(trailer.get(name), name).toEqual([rest.headers[name]])
    await ask('DELETE', '/namespaces/default/ingresses/on-both')
  })

  it('are followed as Server-Sent Events, with the number of matches', async () => {
    const path = `/apis/kairship.io/v1alpha1/instances/${world.instance}/ingresses:watch`
    const { hostname, port } = new URL(world.api.url)
    const request = httpsRequest({
      ...{ hostname, port, path: `${path}?namespace=default&labelSelector=follow`, agent: false },
      ca: world.api.certificateAuthority,
      headers: { authorization: `Bearer ${world.playground.tokens.admin}` },
    }).end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream'])
    let text = ''
    response.setEncoding('utf8').on('data', chunk => (text += chunk))
    response.on('error', () => undefined)
    const told = () =>
      [...text.matchAll(/^data: (.*)$/gm)]
        .map(([, json = '']) => JSON.parse(json))
        .map(({ type, total, ingress }) => [type, total, ingress?.metadata.name])
    await eventually('it has begun', () => told().length === 2, { story: () => text })
    await create('followed', { labels: { follow: 'x' } })
    await eventually('it is told', () => told().length === 3, { story: () => text })
    await ask('DELETE', '/namespaces/default/ingresses/followed')
    await eventually('it is told', () => told().length === 4, { story: () => text })
    request.destroy()
    expect(told()).toEqual([
      ['RESET', 0, undefined],
      ['BOOKMARK', 0, undefined],
      ['ADDED', 1, 'followed'],
      ['DELETED', 0, 'followed'],
    ])
  })

  it('with a malformed selector are refused before a stream opens', async () => {
    const { status, json } = await ask('GET', '/ingresses:watch?labelSelector=%3D%3D')
    expect([status, json.code]).toEqual([400, 3])
  })

  it('are refused with the wrong field', async () => {
    const refused = async (data: string) => {
      const { status, json } = await ask('POST', '/namespaces/default/ingresses', { data })
      const [{ fieldViolations = [] } = {}] = json.details
      return [status, fieldViolations.map(({ field }: { field: string }) => field)]
    }
    expect(await refused('a: [')).toEqual([400, ['data']])
    expect(await refused('a: 1\n---\nb: 2')).toEqual([400, ['data']])
    expect(await refused(JSON.stringify({ ...manifest('x'), kind: 'Service' }))).toEqual([400, ['data.kind']])
    const unnamed = { ...manifest('x'), metadata: {} }
    expect(await refused(JSON.stringify(unnamed))).toEqual([400, ['data.metadata.name']])
    const invalid = manifest('x')
    invalid.spec.rules[0]!.http.paths[0]!.pathType = 'Wrong'
    const [status, fields] = await refused(JSON.stringify(invalid))
    expect([status, fields]).toEqual([400, ['data.spec.rules[0].http.paths[0].pathType']])
  })

  it('may be changed by callers with rights in the instance', async () => {
    const { viewer } = world.playground.tokens
    const body = { data: JSON.stringify(manifest('mine')) }
    const { status, json } = await ask('POST', '/namespaces/default/ingresses', body, viewer)
    expect([status, json.code]).toEqual([403, 7])
    expect((await ask('GET', '/namespaces/default/ingresses', undefined, viewer)).status).toBe(200)
  })
})

describe('an Ingress of a member', () => {
  const member = () => world.playground.members.get(world.member)!.server.local

  it('is listed, and promoted to a template with a policy that keeps it in its cluster', async () => {
    const classes = '/apis/networking.k8s.io/v1/ingressclasses'
    await member().request({
      method: 'POST',
      path: classes,
      body: {
        metadata: { name: 'nginx', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
        spec: { controller: 'k8s.io/nginx' },
      },
    })
    expect((await ask('GET', `/clusters/${world.member}/ingressclasssummary`)).json).toEqual({
      items: [{ name: 'nginx', isDefaultClass: true }],
    })
    const path = '/apis/networking.k8s.io/v1/namespaces/default/ingresses'
    await member().request({ method: 'POST', path, body: manifest('old') })
    const { json } = await ask('GET', `/member-clusters/${world.member}/namespaces/default/ingresses`)
    expect(json.items.map((item: { metadata: object }) => item.metadata)).toMatchObject([
      { name: 'old', cluster: world.member },
    ])

    const promote = `/member-clusters/${world.member}/namespaces/default/ingresses/old:promote`
    const promoted = await ask('POST', promote)
    expect(promoted.text).toBe('{}')
    await eventually('the member’s object is Karmada’s', async () => {
      const object = await member().request<{ metadata: { labels?: Record<string, string> } }>({
        method: 'GET',
        path: `${path}/old`,
      })
      return object.metadata.labels?.['karmada.io/managed'] === 'true'
    })
    await eventually('it is distributed', async () => {
      const { json } = await ask('GET', '/namespaces/default/ingresses/old')
      return json.status.clusters[0]?.applied === true
    })
    const again = await ask('POST', promote)
    expect([again.status, again.json.code]).toEqual([400, 9])
  })
})
