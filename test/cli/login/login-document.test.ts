import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import type { ResolvedClient } from '../../../cli/client/client-config.js'
import { readLoginDocument } from '../../../cli/login/login-document.js'

const { signal } = new AbortController()
const DOCUMENT = { issuer: 'https://issuer.test', clientId: 'kairship-cli', scopes: 'openid' }

/** What a Kairship says of how people log in. */
async function reading(answer: (response: ServerResponse, path: string) => void) {
  const server = createServer((request, response) => answer(response, request.url ?? ''))
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise(resolve => void server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return readLoginDocument({ server: `http://127.0.0.1:${port}` } as ResolvedClient, signal)
}

it('how people log in is read of the server', async () => {
  expect(await reading(response => response.end(JSON.stringify(DOCUMENT)))).toEqual(DOCUMENT)
})

it('another server is not asked how people log in, whatever this one says', async () => {
  const moved = reading((response, path) => {
    if (path === '/elsewhere') response.end(JSON.stringify(DOCUMENT))
    else response.writeHead(302, { location: '/elsewhere' }).end()
  })
  await expect(moved).rejects.toThrow('cannot reach')
})

it.each<[string, number, object, RegExp]>([
  ['fails', 500, DOCUMENT, /answered 500/],
  ['names no issuer', 200, { ...DOCUMENT, issuer: undefined }, /answered 200/],
  ['names none on purpose', 404, { message: 'loginClientId is not set' }, /loginClientId is not set/],
  ['never ends', 200, { ...DOCUMENT, more: 'x'.repeat(1 << 20) }, /./],
])('a document that %s is none', async (_, status, document, why) => {
  const read = reading(response => response.writeHead(status).end(JSON.stringify(document)))
  await expect(read).rejects.toThrow(why)
})
