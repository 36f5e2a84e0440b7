import { once } from 'node:events'
import { type AddressInfo, connect as connectTcp, createServer } from 'node:net'
import { pipeline } from 'node:stream'
import { connect } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { ProxyUnderTest, root } from './proxy-under-test.js'

const proxy = new ProxyUnderTest()

/** What TLS calls a record of application data (RFC 8446, section 5.1). */
const APPLICATION_DATA = 23
const HEADER_BYTES = 5

/** Counts the records in what one side of a TLS connection sends. */
function recordsOf() {
  let bytes = Buffer.alloc(0)
  const counted = { applicationData: 0 }
  return {
    counted,
    follow(chunk: Buffer): void {
      bytes = Buffer.concat([bytes, chunk])
      while (bytes.length >= HEADER_BYTES && bytes.length >= HEADER_BYTES + bytes.readUInt16BE(3)) {
        if (bytes[0] === APPLICATION_DATA) counted.applicationData += 1
        bytes = bytes.subarray(HEADER_BYTES + bytes.readUInt16BE(3))
      }
    },
  }
}

describe('an answer of two kilobytes', () => {
  it.each([
    ['a known length', { 'content-length': '2048' }],
    ['chunks', { 'transfer-encoding': 'chunked' }],
  ])('of %s is sent in one TLS record, with one write', async (_, headers) => {
    proxy.upstream.answer = (_, response) => response.writeHead(200, headers).end(Buffer.alloc(2_048, 'x'))
    const { hostname, port } = new URL(proxy.api.running.url)
    const { counted, follow } = recordsOf()
    const between = createServer(client => {
      const server = connectTcp(Number(port), hostname)
      server.on('data', follow)
      // However it ends: the test is over then.
      pipeline(client, server, client, () => undefined)
    })
    between.listen(0, '127.0.0.1')
    await once(between, 'listening')
    const socket = connect({
      host: '127.0.0.1',
      port: (between.address() as AddressInfo).port,
      ca: proxy.api.running.certificateAuthority,
      servername: 'localhost',
      // Its tickets would be records, too.
      maxVersion: 'TLSv1.2',
    })
    await once(socket, 'secureConnect')
    for (const answers of [1, 2, 3]) {
      socket.write(`GET ${root}/north/proxy/api HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer admin\r\n\r\n`)
      let text = ''
      while (!text.includes('x'.repeat(2_048))) text += String((await once(socket, 'data'))[0])
      expect(text).toMatch(/^HTTP\/1.1 200 /)
      expect(counted.applicationData).toBe(answers)
    }
    socket.destroy()
    between.close()
  })
})
