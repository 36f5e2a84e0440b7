import { constants } from 'node:http2'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { waitFor } from '../../patience.js'
import { fakeMeter } from '../fakes/api.js'
import { deferred } from '../fakes/deferred.js'
import { listeningApi } from '../fakes/listening.js'
import { endingOf, frame, RawGrpc } from '../fakes/raw-grpc.js'

let api: Awaited<ReturnType<typeof listeningApi>>
let client: RawGrpc
let metered: ReturnType<typeof fakeMeter>
beforeAll(async () => {
  metered = fakeMeter()
  api = await listeningApi(undefined, { meter: metered.meter })
})
afterAll(() => api.running.close())
beforeEach(() => {
  api.log.lines.length = 0
  metered.counts.clear()
  client = new RawGrpc(api.running)
})
afterEach(() => client.close())

const service = '/kairship.io.api.instance.v1alpha1.InstanceService'
const counted = (operation: string, code: string) =>
  `kairship_api_requests_total${JSON.stringify({ wire: 'grpc', operation, code })}`
const admin = { authorization: 'Bearer admin' }
const ofLength = (length: number) => {
  const text = Buffer.alloc(length, 'a')
  return Buffer.concat([Buffer.from([10, 0xf0, 0xff, 0xbf, 0x01]), text])
}
const late = expect.objectContaining({ spec: { token: 'late' } })
const messages: [string, Buffer, Record<string, string>][] = [
  ['well-formed', Buffer.from([10, 1, 97]), {}],
  ['malformed', Buffer.from([255, 255, 255]), {}],
  ['3 MiB long', ofLength(3_145_712), {}],
  ['larger than allowed', Buffer.alloc(4 * 1024 * 1024), {}],
  ['compressed', gzipSync(ofLength(3_145_712)), { 'grpc-encoding': 'gzip' }],
  ['compressed badly', Buffer.from('no gzip'), { 'grpc-encoding': 'gzip' }],
]

it('a gRPC call that asks to impersonate is refused, and not made as its caller', async () => {
  for (const name of ['impersonate-user', 'impersonate_group', 'impersonate-extra-x'])
    expect(
      await client.call(`${service}/ListInstances`, Buffer.alloc(0), { ...admin, [name]: 'eve' }),
    ).toMatchObject({
      code: 7,
    })
})

describe('an anonymous gRPC call', () => {
  it.each(messages)(
    'is refused and recorded before its message is decoded: %s',
    async (_, message, headers) => {
      const { code, requestId } = await client.call(`${service}/DeleteInstance`, message, headers)
      expect(code).toBe(16)
      expect(api.log.audits()).toMatchObject([
        {
          requestId,
          wire: 'grpc',
          operation: `${service}/DeleteInstance`,
          outcome: 'denied',
          code: 'UNAUTHENTICATED',
          remote: '127.0.0.1',
        },
      ])
    },
  )

  it.each(['DeleteInstance', 'WatchInstances'])(
    'of %s is refused even if its message never arrives',
    async rpc => {
      const stream = client.begin(`${service}/${rpc}`)
      expect((await endingOf(stream)).code).toBe(16)
    },
  )

  it('of an unknown method is refused and recorded like any other', async () => {
    expect((await client.call(`${service}/DropTables`, Buffer.alloc(0))).code).toBe(16)
    expect(api.log.audits()).toMatchObject([
      { operation: `${service}/DropTables`, outcome: 'denied', code: 'UNAUTHENTICATED' },
    ])
  })

  it('for reflection leaves a record, too', async () => {
    const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'
    expect((await client.call(path, Buffer.alloc(0))).code).toBe(16)
    expect(api.log.audits()).toMatchObject([{ operation: path, code: 'UNAUTHENTICATED' }])
  })
})

describe('an authenticated gRPC call', () => {
  it('with a malformed message gets INVALID_ARGUMENT and leaves a record', async () => {
    const { code, message } = await client.call(`${service}/DeleteInstance`, Buffer.from([255, 255]), admin)
    expect([code, message]).toEqual([3, expect.stringContaining('DeleteInstanceRequest')])
    expect(api.log.audits()).toMatchObject([
      { operation: 'Instance_DeleteInstance', outcome: 'failed', code: 'INVALID_ARGUMENT', user: 'admin' },
    ])
  })

  it.each([
    ['a method that no service has', `${service}/DropTables`],
    ['a service that is not served', '/x.y.Z/DoIt'],
    ['a path that is long', `/x.y.Z/${'a'.repeat(5_000)}`],
  ])('of %s gets UNIMPLEMENTED and leaves a record', async (_, path) => {
    const { code, message, requestId } = await client.call(path, Buffer.alloc(0), admin)
    expect([code, message]).toEqual([12, `there is no method ${path.slice(0, 256)}`])
    expect(api.log.audits()).toMatchObject([
      { requestId, operation: path.slice(0, 256), outcome: 'failed', code: 'UNIMPLEMENTED', user: 'admin' },
    ])
    expect(api.log.audits()[0]).toMatchObject({ wire: 'grpc', remote: '127.0.0.1' })
  })

  it.each<[string, Buffer, Record<string, string>, number, string]>([
    ['is larger than allowed', Buffer.alloc(4 * 1024 * 1024), {}, 3, 'INVALID_ARGUMENT'],
    [
      'is larger than allowed once it is decompressed',
      gzipSync(Buffer.alloc(4 * 1024 * 1024)),
      { 'grpc-encoding': 'gzip' },
      3,
      'INVALID_ARGUMENT',
    ],
    ['is compressed badly', Buffer.from('no gzip'), { 'grpc-encoding': 'gzip' }, 13, 'INTERNAL'],
  ])('whose message %s leaves one record, and is counted', async (_, message, headers, code, name) => {
    const ending = await client.call(`${service}/DeleteInstance`, message, { ...admin, ...headers })
    expect(ending.code).toBe(code)
    expect(api.log.audits()).toMatchObject([
      { requestId: ending.requestId, operation: 'Instance_DeleteInstance', code: name, verb: 'delete' },
    ])
    expect(api.log.audits()[0]).toMatchObject({ wire: 'grpc', user: 'admin', remote: '127.0.0.1' })
    expect(metered.counts.get(counted('Instance_DeleteInstance', name))).toBe(1)
  })

  it('without a message leaves a record', async () => {
    const stream = client.begin(`${service}/DeleteInstance`, admin)
    stream.end()
    expect((await endingOf(stream)).code).toBe(12)
    expect(api.log.audits()).toMatchObject([
      { operation: 'Instance_DeleteInstance', outcome: 'failed', code: 'UNIMPLEMENTED' },
    ])
  })

  it('that is cancelled during authentication leaves a record', async () => {
    const reviewed = deferred<object>()
    api.host.script = ({ path }) => (path.endsWith('/tokenreviews') ? reviewed.promise : undefined)
    const stream = client.begin(`${service}/DeleteInstance`, { authorization: 'Bearer late' })
    stream.on('error', () => undefined)
    await waitFor(() => expect(api.host.requests.map(({ body }) => body)).toContainEqual(late))
    stream.close(constants.NGHTTP2_CANCEL)
    // The server has read the end of the stream when it answers what was sent after it.
    await client.call('/x.y.Z/DoIt', Buffer.alloc(0), admin)
    api.log.lines.length = 0
    reviewed.resolve({ status: { authenticated: true, user: { username: 'late' } } })
    await waitFor(() =>
      expect(api.log.audits()).toMatchObject([
        { operation: 'Instance_DeleteInstance', outcome: 'unknown', code: 'CANCELLED', user: 'late' },
      ]),
    )
    api.host.script = () => undefined
  })

  it('that reads leaves no record, and is counted, when its message is too large', async () => {
    const large = Buffer.alloc(4 * 1024 * 1024)
    expect((await client.call(`${service}/ListInstances`, large, admin)).code).toBe(3)
    expect(api.log.audits()).toEqual([])
    expect(metered.counts.get(counted('Instance_ListInstances', 'INVALID_ARGUMENT'))).toBe(1)
  })

  it.each([
    ['is too large', Buffer.alloc(4 * 1024 * 1024), {}],
    [
      'is too large when it is decompressed',
      gzipSync(Buffer.alloc(4 * 1024 * 1024)),
      { 'grpc-encoding': 'gzip' },
    ],
  ])('whose message %s is refused with the code and the reason that REST has', async (_, large, headers) => {
    expect(await client.call(`${service}/ListInstances`, large, { ...admin, ...headers })).toMatchObject({
      ...{ code: 3, reason: 'BadRequest', message: 'the message is larger than 3145728 bytes' },
    })
  })

  it('that grpc-js itself refuses has a reason', async () => {
    const stream = client.begin(`${service}/ListInstances`, admin)
    stream.end()
    expect(await endingOf(stream)).toMatchObject({ code: 12, reason: 'MethodNotAllowed' })
  })

  it('that is answered leaves one record', async () => {
    const north = Buffer.from([10, 5, ...Buffer.from('north')])
    await client.call(`${service}/DeleteInstance`, north, admin)
    client.close()
    expect(api.log.audits()).toHaveLength(1)
  })

  it('may send a compressed message', async () => {
    const headers = { ...admin, 'grpc-encoding': 'gzip' }
    const north = Buffer.from([10, 5, ...Buffer.from('north')])
    expect((await client.call(`${service}/GetInstance`, gzipSync(north), headers)).code).toBe(0)
  })

  it('keeps its request id when that is safe for a log', async () => {
    const headers = { ...admin, 'x-request-id': 'mine-1' }
    const { requestId } = await client.call(`${service}/ListInstances`, Buffer.alloc(0), headers)
    expect(requestId).toBe('mine-1')
  })

  it('must send its whole message within the time for requests', async () => {
    const slow = await listeningApi(undefined, {
      slowRequests: { headersMs: 10_000, requestMs: 50, lookMs: 5_000 },
    })
    const other = new RawGrpc(slow.running)
    const stream = other.begin(`${service}/ListInstances`, admin)
    stream.write(frame(Buffer.alloc(100)).subarray(0, 20))
    expect((await endingOf(stream)).code).toBe(4)
    other.close()
    await slow.running.close()
  })
})
