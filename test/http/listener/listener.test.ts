import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type Listener, listen } from '../../../http/listener/listener.js'
import { collectGarbage } from '../../collect-garbage.js'
import { waitFor } from '../../patience.js'
import { readAll } from '../proxy/proxy-under-test.js'

const host = '127.0.0.1'
let listener: Listener
afterEach(() => listener?.close(0))

async function listening(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  listener = await listen(createServer(answer), { host, port: 0 })
}

async function ask(agent = new Agent({ keepAlive: true })): Promise<IncomingMessage> {
  const asked = request({ host, port: listener.port, agent })
  asked.end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.on('error', () => undefined) // a test looks whether it is complete
  return response
}

describe('a listener that closes', () => {
  it('finishes answers that have begun', async () => {
    const large = Buffer.alloc(64 * 1024 * 1024)
    await listening((_, response) => response.end(large))
    const response = await ask()
    response.pause()
    const closed = listener.close(100_000)
    const read = readAll(response)
    response.resume()
    const { bytes, complete } = await read
    expect([bytes.length, complete]).toEqual([large.length, true])
    await closed
  })

  it('sends Connection: close in answers meanwhile, and closes idle connections', async () => {
    const held: ServerResponse[] = []
    await listening((_, response) => void held.push(response))
    const agent = new Agent({ keepAlive: true })
    const [answered, waiting] = [ask(agent), ask(agent)]
    await waitFor(() => expect(held).toHaveLength(2))
    held[0]?.end()
    const idle = await answered
    expect(idle.headers.connection).toBe('keep-alive')
    const idleEnded = once(idle.socket, 'close')
    idle.resume()
    const closed = listener.close(100_000)
    await idleEnded
    held[1]?.end()
    const last = await waiting
    expect(last.headers.connection).toBe('close')
    last.resume()
    await closed
  })

  it('closes the remaining connections after its grace period, including those without a request', async () => {
    await listening(() => undefined)
    const silent = connect(listener.port, host)
    await once(silent, 'connect')
    const ended = once(silent, 'close')
    await listener.close(10)
    await ended
  })
})

it('a connection that is kept holds none of its earlier requests, not even the first', async () => {
  const answers: WeakRef<ServerResponse>[] = []
  const ports = new Set<number | undefined>()
  await listening((request, response) => {
    ports.add(request.socket.remotePort)
    answers.push(new WeakRef(response))
    response.end()
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let asked = 0; asked < 3; asked++) await readAll(await ask(agent))
  await waitFor(() => {
    collectGarbage()
    // The last one is the connection's own until the next comes.
    expect(answers.slice(0, -1).map(answer => answer.deref())).toEqual([undefined, undefined])
  })
  expect(ports.size).toBe(1)
  agent.destroy()
})
