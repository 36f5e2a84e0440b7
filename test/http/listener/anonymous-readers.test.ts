import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Pipelines } from '../../../http/listener/pipelines.js'
import { listeningApi } from '../fakes/listening.js'

const request = 'GET /openapi.json HTTP/1.1\r\nHost: kairship\r\n\r\n'

describe('an unauthenticated connection', () => {
  let api: Awaited<ReturnType<typeof listeningApi>>
  let socket: TLSSocket
  beforeEach(async () => {
    api = await listeningApi()
    const { hostname, port } = new URL(api.running.url)
    const ca = api.running.certificateAuthority
    socket = connect({ host: hostname, port: Number(port), ca, servername: 'localhost' })
    socket.on('error', () => undefined)
    await once(socket, 'secureConnect')
  })
  afterEach(async () => {
    socket.destroy()
    await api.running.close()
  })

  const read = async () => {
    let text = ''
    socket.setEncoding('latin1').on('data', chunk => (text += chunk))
    await once(socket, 'close')
    return text.match(/HTTP\/1\.1 200 OK/g)?.length ?? 0
  }

  it('may send several requests before their answers', async () => {
    socket.write(request.repeat(31) + request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    expect(await read()).toBe(32)
  })

  it('is closed when it sends many requests and reads no answer', async () => {
    socket.pause()
    const closed = new Promise(resolve => socket.once('close', resolve))
    socket.write(request.repeat(1_000))
    await closed
  })
})

describe('the requests of one connection', () => {
  it('are answered 32 at once; one more closes the connection and drops the rest', () => {
    const pipelines = new Pipelines()
    const connection = new Socket()
    const responses: EventEmitter[] = []
    const admits = (socket: Socket) => {
      const response = new EventEmitter()
      responses.push(response)
      return pipelines.admits(socket, response as ServerResponse)
    }
    const many = (count: number) => Array.from({ length: count }, () => admits(connection))
    expect(many(32)).not.toContain(false)
    for (const response of responses.slice(0, 2)) response.emit('close')
    expect(many(4)).toEqual([true, true, false, false])
    expect([connection.destroyed, admits(new Socket())]).toEqual([true, true])
  })
})
