import { expect, it } from 'vitest'
import { SharedSocket, type Socket } from '../../console/connection/shared-socket.js'
import { settled } from './test-clock.js'

/** A socket that a test opens, answers on and breaks. */
class TestSocket extends EventTarget {
  readonly sent: { readonly open?: number; readonly close?: number }[] = []
  isClosed = false
  send = (text: string) => void this.sent.push(JSON.parse(text))
  close = () => {
    this.isClosed = true
  }
  open = () => this.dispatchEvent(new Event('open'))
  receive = (frame: object) =>
    this.dispatchEvent(Object.assign(new Event('message'), { data: JSON.stringify(frame) }))
  break = (code: number) => this.dispatchEvent(Object.assign(new Event('close'), { code, reason: '' }))
}

function connected() {
  const sockets: TestSocket[] = []
  let refused = 0
  const shared = new SharedSocket(
    () => {
      const socket = new TestSocket()
      sockets.push(socket)
      return socket as unknown as Socket
    },
    () => (refused += 1),
  )
  const get = (signal = new AbortController().signal) => shared.get('/apis/x:watch', {}, signal)
  return { shared, sockets, get, refusals: () => refused }
}

it('calls share a socket, which closes with the last of them', async () => {
  const { sockets, get } = connected()
  const [one, other] = [get(), get()]
  sockets[0]!.open()
  await settled()
  for (const id of [1, 2]) sockets[0]!.receive({ id, status: 200 })
  expect([(await one).status, (await other).status, sockets.length]).toEqual([200, 200, 1])
  sockets[0]!.receive({ id: 1, end: true })
  expect(sockets[0]!.isClosed).toBe(false)
  sockets[0]!.receive({ id: 2, end: true })
  expect(sockets[0]!.isClosed).toBe(true)
})

it('a call that begins while the last one ends keeps the socket open', async () => {
  const { sockets, get } = connected()
  const first = get()
  sockets[0]!.open()
  await settled()
  sockets[0]!.receive({ id: 1, status: 200 })
  await first
  const next = get()
  sockets[0]!.receive({ id: 1, end: true })
  await settled()
  expect([sockets[0]!.isClosed, sockets.length]).toEqual([false, 1])
  sockets[0]!.receive({ id: 2, status: 201 })
  expect((await next).status).toBe(201)
})

it('after a renewal new calls use a new socket, and running ones stay on theirs', async () => {
  const { shared, sockets, get } = connected()
  const before = get()
  sockets[0]!.open()
  await settled()
  shared.renew()
  const after = get()
  sockets[1]!.open()
  await settled()
  sockets[0]!.receive({ id: 1, status: 200 })
  sockets[1]!.receive({ id: 1, status: 201 })
  expect([(await before).status, (await after).status]).toEqual([200, 201])
  sockets[0]!.receive({ id: 1, end: true })
  expect([sockets[0]!.isClosed, sockets[1]!.isClosed]).toEqual([true, false])
  sockets[0]!.break(1000)
  expect(sockets).toHaveLength(2)
  void get()
  expect(sockets).toHaveLength(2)
})

it('aborting a call after its end sends nothing to the server', async () => {
  const { sockets, get } = connected()
  const call = new AbortController()
  const [one, other] = [get(call.signal), get()]
  sockets[0]!.open()
  await settled()
  for (const id of [1, 2]) sockets[0]!.receive({ id, status: 200 })
  await Promise.all([one, other])
  sockets[0]!.receive({ id: 1, end: true })
  call.abort()
  expect(sockets[0]!.sent.filter(({ close }) => close !== undefined)).toEqual([])
})

it('a socket that never opened may have been refused; one that broke was not', async () => {
  const { sockets, get, refusals } = connected()
  const first = get()
  sockets[0]!.break(1006)
  await expect(first).rejects.toThrow('closed with 1006')
  expect(refusals()).toBe(1)
  const second = get()
  sockets[1]!.open()
  await settled()
  sockets[1]!.break(1001)
  await expect(second).rejects.toThrow('closed with 1001')
  expect(refusals()).toBe(1)
})

it('a call that is aborted before its socket is open leaves no socket', async () => {
  const { sockets, get } = connected()
  const call = new AbortController()
  const gone = get(call.signal)
  call.abort()
  sockets[0]!.open()
  await expect(gone).rejects.toThrow()
  expect([sockets[0]!.isClosed, sockets[0]!.sent]).toEqual([true, []])
})
