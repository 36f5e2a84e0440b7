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

it('endWatches ends a watch cleanly: the body is complete', async () => {
  const response = await get(`${configMaps}?watch=true`)
  const text = textOf(response)
  server.interrupt({ kind: 'endWatches' })
  expect(await text).toBe('')
  expect(response.complete).toBe(true)
})

it('cutConnections breaks a watch off in the middle', async () => {
  const response = await get(`${configMaps}?watch=true`)
  const text = textOf(response)
  server.interrupt({ kind: 'cutConnections' })
  await expect(text).rejects.toThrow(/aborted|ECONNRESET/)
  expect((await get('/version')).statusCode).toBe(200)
})

it('refuseConnections lets nobody in until it is undone', async () => {
  const undo = server.interrupt({ kind: 'refuseConnections' })
  await expect(get('/version')).rejects.toThrow(/ECONNRESET|disconnected|hang up/)
  undo()
  expect((await get('/version')).statusCode).toBe(200)
})

it('an answer in place of the real one comes for matching requests alone', async () => {
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

it('closing ends open watches properly and leaves no socket', async () => {
  const response = await get(`${configMaps}?watch=true`)
  const text = textOf(response)
  await server.close()
  expect(await text).toBe('')
  expect(response.complete).toBe(true)
  agent = new Agent({ ca: server.certificateAuthority })
  await expect(get('/version')).rejects.toThrow(/ECONNREFUSED/)
})

it('closing does not wait for who connected and never spoke', async () => {
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

it('a port that is taken is named', async () => {
  const port = Number(new URL(server.url).port)
  await expect(startApiServer({ name: 'second', port })).rejects.toThrow(
    `the API server second cannot listen on 127.0.0.1:${port}: listen EADDRINUSE`,
  )
})

it('a long list is compressed for who accepts it, and tells the same', async () => {
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
