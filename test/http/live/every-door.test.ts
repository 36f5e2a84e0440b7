import { once } from 'node:events'
import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { waitFor } from '../../patience.js'
import { ProxyUnderTest } from '../proxy/proxy-under-test.js'
import { asks } from '../proxy/upgrade/raw-upgrades.js'
import { instanceThatStreams, openCalls } from './open-calls.js'

/** Uids of ServiceAccounts that the watch saw to be deleted. */
const deleted = new Set<string>()
const proxy = new ProxyUnderTest({
  accounts: { wasDeleted: uid => deleted.has(uid), isThere: () => undefined, problem: undefined },
})
let opened: Awaited<ReturnType<typeof openCalls>> | undefined
afterEach(() => opened?.close())

/** What the host says: of tokens and of rights. */
const ANN = { username: 'ann', groups: ['dev'] }
const host = { knows: true, allows: true, user: ANN as object }
beforeEach(() => {
  Object.assign(host, { knows: true, allows: true, user: ANN })
  deleted.clear()
  instanceThatStreams(proxy)
  proxy.api.host.script = ({ path }) => {
    if (path.endsWith('/tokenreviews')) return { status: { authenticated: host.knows, user: host.user } }
    return path.endsWith('/subjectaccessreviews') ? { status: { allowed: host.allows } } : undefined
  }
})

const jwt = (claims: object) =>
  ['{"alg":"RS256"}', JSON.stringify(claims), 'signature']
    .map(part => Buffer.from(part).toString('base64url'))
    .join('.')
const give = () =>
  proxy.fleet.roleBindings.give('b', 'Admin', { instance: 'north', subject: { kind: 'User', name: 'ann' } })

interface Cause {
  readonly what: string
  readonly token?: () => string
  readonly before?: () => void
  readonly change: () => unknown
  readonly status: number
  readonly grpc: number
  readonly reason: string
  readonly message: RegExp
}

const causes: readonly Cause[] = [
  {
    what: 'a lock',
    change: () => proxy.fleet.accessLocks.lock('incident', { group: 'dev', message: 'call security' }),
    ...{ status: 403, grpc: 7, reason: 'AccessLocked', message: /call security/ },
  },
  {
    what: 'the expiry of the token',
    token: () => jwt({ exp: Math.ceil(Date.now() / 1_000) + 4 }),
    change: () => undefined,
    ...{ status: 401, grpc: 16, reason: 'CredentialEnded', message: /the credential has expired/ },
  },
  {
    what: 'a role that is taken away',
    before: () => {
      host.allows = false
      give()
    },
    change: () => proxy.fleet.roleBindings.take('b'),
    ...{
      status: 403,
      grpc: 7,
      reason: 'AccessWithdrawn',
      message: /a role of yours on instance north was taken away/,
    },
  },
  {
    what: 'a right on the host that is taken away',
    change: () => {
      host.allows = false
    },
    ...{ status: 403, grpc: 7, reason: 'AccessWithdrawn', message: /User "ann" cannot/ },
  },
  {
    what: 'a ServiceAccount that is seen to be deleted, whose token the host still accepts',
    before: () => {
      host.user = { username: 'system:serviceaccount:ci:deployer', uid: 'seven', groups: [] }
    },
    change: () => deleted.add('seven'),
    ...{ status: 401, grpc: 16, reason: 'CredentialEnded', message: /the ServiceAccount .* was deleted/ },
  },
  {
    what: 'a group that the host names no longer',
    change: () => {
      host.user = { ...ANN, groups: [] }
    },
    ...{
      status: 401,
      grpc: 16,
      reason: 'CredentialEnded',
      message: /names another user now, or other groups/,
    },
  },
  {
    what: 'an account that is deleted',
    change: () => {
      host.knows = false
    },
    ...{ status: 401, grpc: 16, reason: 'CredentialEnded', message: /is not accepted/ },
  },
]

describe.each(causes)('by $what', ({ token, before, change, status, grpc, reason, message }) => {
  it('every call under way ends, says why where its protocol can, and nothing is left open behind', async () => {
    before?.()
    opened = await openCalls(proxy, token?.() ?? 'anns-token')
    change()
    const said = await opened.said()

    const event = JSON.parse(said.watch?.trim().split('\n').at(-1) ?? '')
    expect(event).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: status } })
    expect(event.object.details.causes).toEqual([{ reason, message: expect.stringMatching(message) }])
    expect(said['watch in protobuf']).toMatch(/ERROR[\s\S]*k8s\0/)
    expect(said['watch in protobuf']).toMatch(message)
    expect(said['followed log']).toBe('line\n (broken)')
    expect(said['Server-Sent Events']).toMatch(new RegExp(`event: end\\ndata: {"code":${grpc},`))
    expect(said['Server-Sent Events']).toContain(`"reason":"${reason}"`)
    expect(said['exec over WebSocket']).toMatch(new RegExp(`\u0003{"kind":"Status".*"code":${status}}`))
    expect(said['exec over WebSocket']).toMatch(/ close 1008 /)
    expect(said['exec over WebSocket']).toMatch(message)
    expect(said['exec over SPDY']).toBe('closed')
    expect(said.gRPC).toMatch(new RegExp(`^${grpc} `))
    expect(said['a write that takes long']).toMatch(new RegExp(`^${status} `))
    expect(said['a write whose body goes on']).toMatch(new RegExp(`^${status} `))
    const upload = proxy.upstream.requests.find(({ url }) => url?.endsWith('secrets'))
    expect(upload).toMatchObject({ complete: false })
    await waitFor(() => expect(proxy.upstream.requests.filter(({ socket }) => !socket.destroyed)).toEqual([]))
  })
})

it.each(['websocket', 'SPDY/3.1'])(
  'a caller who floods a command that reads nothing is cut off, and so is the command (%s)',
  async protocol => {
    let behind: Socket | undefined
    proxy.upstream.upgrade = (_, socket) => {
      behind = socket as Socket
      socket.on('error', () => undefined)
      socket.pause()
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`)
    }
    const socket = await proxy.socket()
    socket.on('error', () => undefined)
    // It may be reset, which is an end like another.
    const closed = new Promise(resolve => socket.once('close', resolve))
    const upgraded = once(socket, 'data')
    const isWebSocket = protocol === 'websocket'
    const headers = isWebSocket
      ? [
          'Sec-WebSocket-Version: 13',
          'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
          'Sec-WebSocket-Protocol: v5.channel.k8s.io',
        ]
      : []
    const method = isWebSocket ? 'GET' : 'POST'
    socket.write(
      asks(['Connection: Upgrade', `Upgrade: ${protocol}`, ...headers], { token: 'anns-token', method }),
    )
    expect(String((await upgraded)[0])).toContain(' 101 ')
    // Far more than anybody on the way takes.
    const mebibyte = Buffer.alloc(1 << 20, 'x')
    for (let count = 0; count < 64; count++) socket.write(mebibyte)
    proxy.fleet.accessLocks.lock('incident', { user: 'ann' })
    await closed
    await waitFor(() => expect(behind?.destroyed).toBe(true))
  },
)

it('a caller who reads nothing is cut off, and what is open behind it ends', async () => {
  const { response } = await proxy.watch('/north/proxy/api/v1/pods?watch=true', { token: 'anns-token' })
  response.pause()
  proxy.upstream.answer = (_, behind) => {
    behind.writeHead(200, { 'content-type': 'application/json' })
    behind.on('error', () => undefined)
    const fill = () => {
      while (
        !behind.destroyed &&
        behind.write(`${JSON.stringify({ type: 'ADDED', object: 'x'.repeat(60_000) })}\n`)
      );
      behind.once('drain', fill)
    }
    fill()
  }
  const full = await proxy.watch('/north/proxy/api/v1/pods?watch=true', { token: 'anns-token' })
  full.response.pause()
  proxy.fleet.accessLocks.lock('incident', { user: 'ann' })
  await waitFor(() => expect(proxy.upstream.requests.filter(({ socket }) => !socket.destroyed)).toEqual([]))
  await proxy.api.running.close()
})

it('a ServiceAccount that was seen to be deleted is refused at once, though its token was just accepted', async () => {
  host.user = { username: 'system:serviceaccount:ci:deployer', uid: 'seven', groups: [] }
  const ask = () => proxy.ask('/north', { token: 'of-an-account' })
  expect((await ask()).status).toBe(200)
  deleted.add('another')
  expect((await ask()).status).toBe(200)
  deleted.add('seven')
  const { status, text } = await ask()
  expect([status, JSON.parse(text).message]).toEqual([401, 'the ServiceAccount of the token was deleted'])
  host.user = { ...ANN, uid: 'seven' }
  expect((await proxy.ask('/north', { token: 'of-a-person' })).status).toBe(200)
})

it('a caller that is locked is refused at every door, with the message of the lock', async () => {
  proxy.fleet.accessLocks.lock('incident', { user: 'ann', message: 'call security' })
  await expect(openCalls(proxy, 'anns-token')).rejects.toThrow('watch: 403')
  const { status, text } = await proxy.ask('/north/proxy/api/v1/pods', { token: 'anns-token' })
  expect([status, JSON.parse(text)]).toEqual([
    403,
    expect.objectContaining({
      reason: 'Forbidden',
      message: 'access is locked: call security (AccessLock "incident")',
      details: { causes: [expect.objectContaining({ reason: 'AccessLocked' })] },
    }),
  ])
  const rest = await proxy.ask('/north', { token: 'anns-token' })
  expect([rest.status, JSON.parse(rest.text).message]).toEqual([
    403,
    'access is locked: call security (AccessLock "incident")',
  ])
})
