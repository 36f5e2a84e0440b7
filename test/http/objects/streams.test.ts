import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ObjectRequests } from '../../../http/objects/requests/object-requests.js'
import { requestParts } from '../../../http/proxy/request-parts.js'
import { WriteLedger } from '../../../http/read-your-writes/ledger.js'
import { waitFor } from '../../patience.js'
import { unmetered } from '../../silent.js'
import { aloneAnswers } from '../fakes/answers.js'
import { fakeFleet, viewOf } from '../fakes/fleet.js'
import { fakeLog } from '../fakes/log.js'
import { type FakeUpstream, fakeUpstream } from '../proxy/fake-upstream.js'

let north: FakeUpstream
let requests: ObjectRequests
beforeEach(async () => {
  north = await fakeUpstream()
  const fleet = fakeFleet(viewOf('north'))
  fleet.connections.set('north', north.api)
  const now = () => performance.now()
  const common = { fleet, log: fakeLog(), meter: unmetered, now, ledger: new WriteLedger(now) }
  const parts = requestParts({ ...common, limits: {} })
  requests = new ObjectRequests({ parts, instances: { sameAsWritten: () => undefined } })
})
afterEach(() => north.close())

function open(opened: () => void = () => undefined) {
  const call = {
    caller: { user: 'ann', groups: [], extra: {} },
    signal: new AbortController().signal,
    answers: aloneAnswers(true),
    answered: () => undefined,
  }
  const query = { watch: 'true' }
  return requests.stream(call, 'north', { method: 'GET', path: '/api/v1/configmaps', query }, opened)
}

/** Every connection of the instance has ended. */
const noneOpen = () => waitFor(async () => expect(await north.connections()).toBe(0))

describe('the socket of a stream', () => {
  it.each([401, 403])('is closed when the instance answers %i and never ends its body', async status => {
    north.answer = (_, response) => void response.writeHead(status).write('x'.repeat(200_000))
    await expect(open().next()).rejects.toThrow(status === 401 ? 'own credential (401)' : 'xxx')
    await noneOpen()
  })

  it('is closed when its reader fails as it opens', async () => {
    north.answer = (_, response) => void response.writeHead(200).write('x')
    const broken = () => {
      throw new Error('the reader broke')
    }
    await expect(open(broken).next()).rejects.toThrow('the reader broke')
    await noneOpen()
  })

  it('is closed when its reader leaves', async () => {
    north.answer = (_, response) => void response.writeHead(200).write('x')
    const bytes = open()
    expect((await bytes.next()).value?.toString()).toBe('x')
    await bytes.return()
    await noneOpen()
  })
})

it('an event that arrives in parts is read when its rest has arrived', async () => {
  let send: (() => void) | undefined
  const line = 'x'.repeat(200_000)
  north.answer = (_, response) => {
    // One chunk of HTTP whose first half is held back on its way: a parser that is resumed inside of it has nothing.
    const { socket } = response.writeHead(200, { 'transfer-encoding': 'chunked' })
    response.flushHeaders()
    socket?.write(`${line.length.toString(16)}\r\n${line.slice(0, 50_000)}`)
    send = () => void socket?.write(`${line.slice(50_000)}\r\n`)
  }
  const bytes = open()
  let read = 0
  const reading = (async () => {
    for await (const chunk of bytes) {
      expect(chunk.length).toBeGreaterThan(0)
      read += chunk.length
      if (read === line.length) return
    }
  })()
  await waitFor(() => expect(read).toBe(50_000))
  send?.()
  await reading
  expect(read).toBe(line.length)
})
