import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listeningApi } from '../fakes/listening.js'
import { endingOf, frame, RawGrpc } from '../fakes/raw-grpc.js'

let api: Awaited<ReturnType<typeof listeningApi>>
let client: RawGrpc
beforeAll(async () => {
  api = await listeningApi()
})
afterAll(() => api.running.close())
beforeEach(() => {
  api.log.lines.length = 0
  client = new RawGrpc(api.running)
})
afterEach(() => client.close())

const service = '/kairship.io.api.instance.v1alpha1.InstanceService'
const admin = { authorization: 'Bearer admin' }
const ofLength = (length: number) => {
  const text = Buffer.alloc(length, 'a')
  return Buffer.concat([Buffer.from([10, 0xf0, 0xff, 0xbf, 0x01]), text])
}
const messages: [string, Buffer, Record<string, string>][] = [
  ['well-formed', Buffer.from([10, 1, 97]), {}],
  ['malformed', Buffer.from([255, 255, 255]), {}],
  ['3 MiB long', ofLength(3_145_712), {}],
  ['larger than allowed', Buffer.alloc(4 * 1024 * 1024), {}],
  ['compressed', gzipSync(ofLength(3_145_712)), { 'grpc-encoding': 'gzip' }],
  ['compressed badly', Buffer.from('no gzip'), { 'grpc-encoding': 'gzip' }],
]

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
    'of %s is refused although its message never comes',
    async rpc => {
      const stream = client.begin(`${service}/${rpc}`)
      expect((await endingOf(stream)).code).toBe(16)
    },
  )

  it('leaves a record for reflection too', async () => {
    const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'
    expect((await client.call(path, Buffer.alloc(0))).code).toBe(16)
    expect(api.log.audits()).toMatchObject([{ operation: path, code: 'UNAUTHENTICATED' }])
  })
})

describe('an authenticated gRPC call', () => {
  it('with a malformed message is the caller’s fault and leaves a record of the attempt', async () => {
    const { code, message } = await client.call(`${service}/DeleteInstance`, Buffer.from([255, 255]), admin)
    expect([code, message]).toEqual([3, expect.stringContaining('DeleteInstanceRequest')])
    expect(api.log.audits()).toMatchObject([
      { operation: 'Instance_DeleteInstance', outcome: 'failed', code: 'INVALID_ARGUMENT', user: 'admin' },
    ])
  })

  it('may compress its message', async () => {
    const headers = { ...admin, 'grpc-encoding': 'gzip' }
    const north = Buffer.from([10, 5, ...Buffer.from('north')])
    expect((await client.call(`${service}/GetInstance`, gzipSync(north), headers)).code).toBe(0)
  })

  it('keeps a request id that is fit for a log', async () => {
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
