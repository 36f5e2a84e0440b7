import { PassThrough } from 'node:stream'
import { createSecureContext } from 'node:tls'
import type { Pool } from 'undici'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Session } from '../../../actors/kube/session.js'
import { Sessions } from '../../../actors/kube/sessions.js'
import { Sockets } from '../../../actors/kube/sockets.js'
import { collectGarbage } from '../../collect-garbage.js'
import { waitFor } from '../../patience.js'
import { authority, configOf, head, line, oneEvent, serve } from './streaming-server.js'

let server: Awaited<ReturnType<typeof serve>>
afterEach(() => server.close())

const asked = {
  method: 'GET',
  path: '/watch',
  body: null,
  headers: {},
  signal: new AbortController().signal,
}

const get = (port: number) => ({ origin: `https://127.0.0.1:${port}`, method: 'GET', path: '/x' }) as const

it('a session that is being opened when its certificate is replaced serves its waiting requests, and ends', async () => {
  server = await serve(stream => {
    stream.respond(head)
    stream.end(line(1))
  })
  const target = {
    origin: `https://127.0.0.1:${server.port}`,
    secureContext: createSecureContext({ ca: authority.certificate }),
    insecure: false,
    connectTimeoutMs: 10_000,
  }
  const sessions = new Sessions(target, new AbortController().signal)
  const answers = [sessions.request(asked), sessions.request(asked)]
  sessions.retire()
  for (const { body } of await Promise.all(answers)) {
    let text = ''
    for await (const chunk of body) text += String(chunk)
    expect(text).toBe(line(1))
  }
  await waitFor(() => expect(server.sockets.size).toBe(0))
})

it('a session that is being opened when its endpoint is closed ends as it opens', async () => {
  server = await serve(oneEvent)
  const sockets = new Sockets(configOf(server.port), 1)
  const open = vi.spyOn(Session, 'open')
  try {
    const sessions = sockets.forStream({})
    await sockets.prepare({})
    await sockets.close()
    expect((await open.mock.results[0]!.value).hasRoom).toBe(false)
    await expect((await sessions)!.request(asked)).rejects.toThrow(/was closed/)
    expect(open).toHaveBeenCalledOnce()
  } finally {
    open.mockRestore()
  }
})

it('what is proxied does not wait for the few sockets of Kairship’s own requests', async () => {
  server = await serve(oneEvent, { http1: true }) // which does not end an answer
  const sockets = new Sockets(configOf(server.port), 1)
  try {
    const pool = await sockets.forProxy({})
    for (const _ of Array(2)) pool.stream(get(server.port), () => new PassThrough()).catch(() => undefined)
    await waitFor(() => expect(server.sockets.size).toBe(2))
  } finally {
    await sockets.close()
  }
})

describe('sockets of a replaced client certificate', () => {
  const proofs = Array.from({ length: 2 }, () => {
    const { certificate, key } = authority.issueServing()
    return { cert: certificate, key }
  })
  let sockets: Sockets
  afterEach(() => sockets.close())

  it('close with their pool, even when it was replaced before its first request', async () => {
    server = await serve(oneEvent)
    sockets = new Sockets(configOf(server.port), 1)
    const [first, second] = await Promise.all(proofs.map(proof => sockets.forRequest(proof)))
    await waitFor(() => expect((first as Pool).closed).toBe(true))
    expect((second as Pool).closed).toBe(false)
  })

  it('serve who waited for their pool when it was replaced', async () => {
    server = await serve(oneEvent, { http1: true, whole: true })
    sockets = new Sockets(configOf(server.port), 1)
    const answer = sockets.forRequest(proofs[0]!).then(pool => pool.request(get(server.port)))
    await sockets.forRequest(proofs[1]!)
    expect(await (await answer).body.json()).toEqual({ n: 1 })
  })

  /** Sessions under the first certificate, which the second has replaced. */
  async function replaced(): Promise<Sessions> {
    server = await serve(oneEvent)
    sockets = new Sockets(configOf(server.port), 1)
    const [first, second] = [await sockets.forStream(proofs[0]!), await sockets.forStream(proofs[1]!)]
    expect(second).not.toBe(first)
    await waitFor(() => expect(server.sockets.size).toBe(1))
    return first!
  }

  it('are dropped from the endpoint’s list when they have ended', async () => {
    const sessions = new WeakRef(await replaced())
    await waitFor(() => {
      collectGarbage()
      // Not `toBeUndefined`, whose failure would hold what it found until the next check.
      expect(sessions.deref() === undefined).toBe(true)
    })
  })

  it('close with the endpoint, however late they were opened', async () => {
    const sessions = await replaced()
    const { body } = await sessions.request(asked)
    expect(server.sockets.size).toBe(2)
    const read = async () => {
      for await (const _ of body);
    }
    const cut = expect(read()).rejects.toThrow(/was closed/)
    await sockets.close()
    await cut
    await waitFor(() => expect(server.sockets.size).toBe(0))
    await expect(sessions.request(asked)).rejects.toThrow(/was closed/)
  })
})
