import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { KubeConfig } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../../../http/api-options.js'
import { INSTANCES } from '../../../manifests/instance.js'
import { resourcePath } from '../../../manifests/kube.js'
import type { ApiServer } from '../../../playground/apiserver/server.js'
import { waitFor } from '../../patience.js'
import { type ExampleRequest, exchanges, toldBy } from './exchanges.js'
import { type PlaygroundProxy, startPlaygroundProxy } from './playground-proxy.js'
import { readAll } from './proxy-under-test.js'

let proxy: PlaygroundProxy
let karmada: ApiServer
/** A type that no index holds: what is tried here is the way to Karmada. */
const secrets = '/api/v1/namespaces/faults/secrets'

beforeAll(async () => {
  proxy = await startPlaygroundProxy()
  karmada = proxy.playground.karmadas.get(proxy.instance)!.server
  const post = (path: string, body: object) => karmada.local.request({ method: 'POST', path, body })
  await post('/api/v1/namespaces', { metadata: { name: 'faults' } })
  // More than what sockets on the way hold: 24 MiB.
  const filling = 'x'.repeat(512 * 1024)
  for (let index = 0; index < 48; index++)
    await post(secrets, { metadata: { name: `large-${index}` }, data: { filling } })
})
afterAll(() => proxy?.close())

interface Sent extends ExampleRequest {
  readonly api?: Api
}

/** A request as kubectl would send it, through the proxy or directly, on a connection of its own. */
async function send(as: 'admin' | 'direct', path: string, sent: Sent = {}): Promise<IncomingMessage> {
  const { method = 'GET', headers = {}, body, api } = sent
  const config = new KubeConfig()
  config.loadFromString(proxy.kubeconfig(as))
  const options = {}
  await config.applyToHTTPSOptions(options)
  const server = config.getCurrentCluster()?.server ?? ''
  const url = `${api ? server.replace(proxy.api.url, api.url) : server}${path}`
  const trust = api?.certificateAuthority ? { ca: api.certificateAuthority } : {}
  const token = config.getCurrentUser()?.token
  const request = httpsRequest(url, {
    ...options,
    ...trust,
    agent: new Agent({ ...options, ...trust, keepAlive: false }),
    method,
    headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers },
  })
  request.on('error', () => undefined) // said by the answer that never comes, or is broken off
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.on('error', () => undefined) // a test looks whether it is complete
  return response
}

const create = (name: string) =>
  karmada.local.request({ method: 'POST', path: secrets, body: { metadata: { name } } })

describe('the proxy answers as the instance does directly:', () => {
  it.each(exchanges(secrets))('%s', async (_, path, sent) => {
    if (path.includes('resourceVersion=1')) karmada.interrupt({ kind: 'compact' })()
    const [direct, through] = await Promise.all(
      (['direct', 'admin'] as const).map(async as => toldBy(await send(as, path, sent))),
    )
    // Compared apart: of megabytes nobody wants to see how they differ.
    expect(
      through?.told === direct?.told,
      `${direct?.told.slice(0, 300)}\n${through?.told.slice(0, 300)}`,
    ).toBe(true)
    expect({ ...through, told: '' }).toEqual({ ...direct, told: '' })
    expect(through?.complete).toBe(true)
  })
})

it('a list that breaks in the middle breaks for its reader, and is never shorter', async () => {
  const response = await send('admin', secrets)
  response.pause()
  await once(response, 'readable')
  karmada.interrupt({ kind: 'cutConnections' })()
  const { bytes, complete } = await readAll(response)
  expect(complete).toBe(false)
  expect(bytes.length).toBeGreaterThan(0)
  // And the next one is whole again.
  const again = await waitFor(async () => {
    const response = await send('admin', `${secrets}?limit=2`)
    expect(response.statusCode).toBe(200)
    return readAll(response)
  })
  expect(JSON.parse(again.bytes.toString()).items).toHaveLength(2)
})

/** A watch, its events so far, and whether it ended as a whole. */
async function watch(from: string, api?: Api, path = `${secrets}?watch=true&resourceVersion=${from}`) {
  const response = await send('admin', path, api ? { api } : {})
  let text = ''
  response.setEncoding('utf8').on('data', chunk => (text += chunk))
  let ended: 'whole' | 'broken' | undefined
  response.once('close', () => {
    ended = response.complete ? 'whole' : 'broken'
  })
  const events = () =>
    text
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line).object.metadata as { name: string; resourceVersion: string })
  return { events, rest: () => text.split('\n').at(-1), ended: () => ended, response }
}

async function now(): Promise<string> {
  const list = await karmada.local.request<{ metadata: { resourceVersion: string } }>({
    method: 'GET',
    path: secrets,
    query: { limit: 1 },
  })
  return list.metadata.resourceVersion
}

it('a watch that is cut upstream is resumed by its reader without a lost or repeated event', async () => {
  const first = await watch(await now())
  await create('before-the-cut')
  await waitFor(() => expect(first.events().map(({ name }) => name)).toEqual(['before-the-cut']))
  karmada.interrupt({ kind: 'cutConnections' })()
  await waitFor(() => expect(first.ended()).toBeDefined())
  await create('meanwhile')
  const second = await waitFor(() => watch(first.events().at(-1)?.resourceVersion ?? ''))
  await create('after-the-cut')
  await waitFor(() => expect(second.events().map(({ name }) => name)).toEqual(['meanwhile', 'after-the-cut']))
  second.response.destroy()
})

it('a replica that stops ends its watches after a complete event, and another replica resumes them', async () => {
  const [leaving, staying] = [await proxy.another(), await proxy.another()]
  const first = await watch(await now(), leaving)
  await create('from-the-first')
  await waitFor(() => expect(first.events().map(({ name }) => name)).toEqual(['from-the-first']))
  await leaving.close()
  await waitFor(() => expect(first.ended()).toBe('whole'))
  expect(first.rest()).toBe('')
  await create('between-them')
  const second = await watch(first.events().at(-1)?.resourceVersion ?? '', staying)
  await waitFor(() => expect(second.events().map(({ name }) => name)).toEqual(['between-them']))
  second.response.destroy()
  await staying.close()
})

it('a deleted instance ends the watches of it and of its index, and gives 404 after that', async () => {
  const running = await watch(await now())
  await create('last-one')
  await waitFor(() => expect(running.events()).toHaveLength(1))
  const indexed = await waitFor(async () => {
    const watching = await watch('', undefined, '/api/v1/configmaps?watch=true')
    if (watching.response.headers['kairship-source'] === 'index') return watching
    watching.response.destroy()
    throw new Error('not from the index')
  })
  const path = resourcePath(INSTANCES, { name: proxy.instance })
  await proxy.playground.host.local.request({ method: 'DELETE', path })
  for (const one of [running, indexed]) {
    await waitFor(() => expect(one.ended()).toBe('whole'))
    expect(one.rest()).toBe('')
  }
  await waitFor(async () => {
    const response = await send('admin', secrets)
    response.resume()
    expect(response.statusCode).toBe(404)
  })
})
