import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type ApiServer, startApiServer } from '../../../playground/apiserver/server.js'

let server: ApiServer
let agent: Agent
let token: string
beforeEach(async () => {
  server = await startApiServer({ name: 'faulty', defaultAccounts: false })
  token = await server.issueToken({ name: 'admin', groups: ['system:masters'] }, 600)
  agent = new Agent({ keepAlive: true, ca: server.certificateAuthority })
})
afterEach(async () => {
  agent.destroy()
  await server.close()
})

async function get(path: string): Promise<IncomingMessage> {
  const call = request(`${server.url}${path}`, { agent, headers: { authorization: `Bearer ${token}` } })
  call.end()
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  return response
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const configMaps = '/api/v1/namespaces/default/configmaps'

it('endWatches ends a watch with a complete body', async () => {
  const response = await get(`${configMaps}?watch=true`)
  const text = textOf(response)
  server.interrupt({ kind: 'endWatches' })
  expect(await text).toBe('')
  expect(response.complete).toBe(true)
})

it('cutConnections breaks a watch in the middle', async () => {
  const response = await get(`${configMaps}?watch=true`)
  const text = textOf(response)
  server.interrupt({ kind: 'cutConnections' })
  await expect(text).rejects.toThrow(/aborted|ECONNRESET/)
  expect((await get('/version')).statusCode).toBe(200)
})

it('refuseConnections refuses every connection until it is undone', async () => {
  const undo = server.interrupt({ kind: 'refuseConnections' })
  await expect(get('/version')).rejects.toThrow(/ECONNRESET|disconnected|hang up/)
  undo()
  expect((await get('/version')).statusCode).toBe(200)
})

it('an injected answer applies to matching requests only', async () => {
  const undo = server.interrupt({
    kind: 'answer',
    matches: ({ path }) => path === configMaps,
    response: { code: 429, headers: { 'retry-after': '3' }, body: { object: { kind: 'Status' } } },
  })
  const refused = await get(configMaps)
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '3'])
  expect((await get('/version')).statusCode).toBe(200)
  undo()
  expect((await get(configMaps)).statusCode).toBe(200)
})

it('closing completes open watches and leaves no socket', async () => {
  const response = await get(`${configMaps}?watch=true`)
  const text = textOf(response)
  await server.close()
  expect(await text).toBe('')
  expect(response.complete).toBe(true)
  agent = new Agent({ ca: server.certificateAuthority })
  await expect(get('/version')).rejects.toThrow(/ECONNREFUSED/)
})

it('closing does not wait for clients that connected and sent nothing', async () => {
  const { hostname, port } = new URL(server.url)
  const silent = connect(Number(port), hostname)
  await once(silent, 'connect')
  expect((await get('/version')).statusCode).toBe(200)
  const ended = once(silent, 'close')
  silent.resume()
  await server.close()
  await ended
  expect(silent.destroyed).toBe(true)
})

it('a port in use is named in the error', async () => {
  const port = Number(new URL(server.url).port)
  await expect(startApiServer({ name: 'second', port })).rejects.toThrow(
    `the API server second cannot listen on 127.0.0.1:${port}: listen EADDRINUSE`,
  )
})

it('a long list is compressed for clients that accept it, with the same content', async () => {
  for (let index = 0; index < 4; index += 1) {
    await server.local.request({
      method: 'POST',
      path: configMaps,
      body: { metadata: { name: `big-${index}` }, data: { text: 'x'.repeat(50_000) } },
    })
  }
  const plain = await textOf(await get(configMaps))
  const call = request(`${server.url}${configMaps}`, {
    agent,
    headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' },
  })
  call.end()
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  expect(response.headers['content-encoding']).toBe('gzip')
  const { gunzipSync } = await import('node:zlib')
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  expect(gunzipSync(Buffer.concat(chunks)).toString()).toBe(plain)
})
