import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ChaosAction, type ChaosControl, chaosActions } from '../../../ports/chaos.js'
import type { Chaos } from './chaos.js'

/** A running control of chaos. */
export interface ChaosServer extends ChaosControl {
  close(): Promise<void>
}

interface Answer {
  readonly code: number
  readonly body: object
}

/** Serves `GET /members` and `POST /members/{name}/{action}` on loopback, to clients with the token. */
export async function serveChaos(chaos: Chaos): Promise<ChaosServer> {
  const token = randomBytes(32).toString('base64url')
  const server: Server = createServer((request, response) => {
    // Nothing is read of a body: what is wanted is in the path.
    request.resume()
    void answerTo(request, chaos, token)
      .catch((error: unknown) => failure(500, error instanceof Error ? error.message : String(error)))
      .then(({ code, body }) => {
        response.writeHead(code, { 'content-type': 'application/json', connection: 'close' })
        response.end(`${JSON.stringify(body)}\n`)
      })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function answerTo(request: IncomingMessage, chaos: Chaos, token: string): Promise<Answer> {
  if (!isBearer(request, token)) return failure(401, 'send the token of chaos.json as a bearer token')
  const [first, name = '', action = '', ...more] = pathOf(request)
  if (first !== 'members' || more.length > 0) return failure(404, 'there is only /members')
  if (name === '') {
    if (request.method !== 'GET') return failure(405, 'members are listed with GET')
    return { code: 200, body: { members: chaos.list() } }
  }
  if (request.method !== 'POST') return failure(405, 'something is done to a member with POST')
  if (!isAction(action))
    return failure(400, `nothing is called ${JSON.stringify(action)} here, but ${chaosActions.join(', ')}`)
  const state = await chaos.apply(name, action)
  if (state) return { code: 200, body: state }
  const names = chaos.list().map(one => one.name)
  return failure(404, `no member is called ${JSON.stringify(name)}; there are ${names.join(', ') || 'none'}`)
}

const failure = (code: number, message: string): Answer => ({ code, body: { message } })
const isAction = (word: string): word is ChaosAction => (chaosActions as readonly string[]).includes(word)

/** The parts of the path. One that cannot be decoded is no name of anything. */
function pathOf({ url = '' }: IncomingMessage): readonly string[] {
  try {
    return (url.split('?')[0] ?? '').split('/').slice(1).map(decodeURIComponent)
  } catch {
    return []
  }
}

function isBearer({ headers }: IncomingMessage, token: string): boolean {
  const [given, wanted] = [Buffer.from(headers.authorization ?? ''), Buffer.from(`Bearer ${token}`)]
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
