import { describe, expect, it } from 'vitest'
import { ProxyUnderTest, root } from './proxy-under-test.js'

const proxy = new ProxyUnderTest()
const AUTHORIZED = 'Host: kairship\r\nAuthorization: Bearer admin\r\n'

/** Says this on a connection of its own, and reads all that comes back until the connection is closed. */
async function say(text: string): Promise<string> {
  const socket = await proxy.socket()
  let heard = ''
  socket.setEncoding('latin1').on('data', chunk => {
    heard += chunk
  })
  // A server that hangs up while we still talk is an answer too.
  socket.on('error', () => undefined)
  const closed = new Promise(resolve => socket.once('close', resolve))
  socket.write(text, 'latin1')
  await closed
  return heard
}

/** The statuses of all answers in what came back: one that was smuggled in would be a second. */
const statuses = (heard: string): number[] =>
  [...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

const reached = (): (string | undefined)[] =>
  proxy.upstream.requests.map(({ method, url }) => `${method} ${url}`)

describe('an ambiguous request', () => {
  const inner = `GET ${root}/north/proxy/smuggled HTTP/1.1\r\n${AUTHORIZED}\r\n`

  it.each([
    ['a length and chunks', `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`],
    ['chunks and a length', `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${inner}`],
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x'],
    ['the same length twice', 'Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}'],
    ['a list of lengths', 'Content-Length: 2, 2\r\n\r\n{}'],
    ['a length with a sign', 'Content-Length: +2\r\n\r\n{}'],
    ['a negative length', 'Content-Length: -2\r\n\r\n{}'],
    ['a hexadecimal length', 'Content-Length: 0x2\r\n\r\n{}'],
    ['chunks that are not last', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
    ['a coding that looks like chunks', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['a blank before the colon', 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
    ['a blank in a name', 'Transfer Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a name that is no token', 'Content-Length\0: 2\r\n\r\n{}'],
    ['a NUL in a value', 'X-A: a\0b\r\nContent-Length: 2\r\n\r\n{}'],
    ['a bare CR in a value', 'X-A: a\rImpersonate-User: root\r\nContent-Length: 2\r\n\r\n{}'],
    ['a chunk whose size is none', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'],
    ['a chunk longer than its size', 'Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n'],
  ])('is refused and its connection closed: %s', async (_, rest) => {
    const heard = await say(`POST ${root}/north/proxy/api HTTP/1.1\r\n${AUTHORIZED}${rest}`)
    const [first, ...more] = statuses(heard)
    expect([first === undefined || first === 400 || first === 503, more]).toEqual([true, []])
    expect(reached().filter(line => line !== 'POST /api')).toEqual([])
    // Whatever had begun before the mistake was seen was not finished: no request arrived whole.
    expect(proxy.upstream.requests.filter(({ complete }) => complete)).toEqual([])
  })

  it.each([
    ['a line that goes on in the next', 'X-A: a\r\n Impersonate-User: root\r\n'],
    ['a name with an underscore', 'Impersonate_User: root\r\n'],
    ['capitals', 'IMPERSONATE-USER: root\r\n'],
    ['an empty value', 'Impersonate-User:\r\n'],
    ['a trailer', 'Transfer-Encoding: chunked\r\nTrailer: Impersonate-User\r\n'],
  ])('does not change the identity of a request: %s', async (kind, header) => {
    const body = kind === 'a trailer' ? '2\r\n{}\r\n0\r\nImpersonate-User: root\r\n\r\n' : ''
    const method = body ? 'POST' : 'GET'
    await say(
      `${method} ${root}/north/proxy/api HTTP/1.1\r\n${AUTHORIZED}Connection: close\r\n${header}\r\n${body}`,
    )
    // Whether the caller may act as another is asked there, too, as Kairship itself.
    const passedOn = proxy.upstream.requests.filter(({ url }) => url === '/api')
    for (const { rawHeaders, trailers } of passedOn) {
      const said = rawHeaders.filter((name, index) => index % 2 === 0 && /^impersonate.user$/i.test(name))
      expect(said).toEqual(['Impersonate-User'])
      expect(rawHeaders[rawHeaders.indexOf('Impersonate-User') + 1]).toBe('admin')
      expect(trailers).toEqual({})
    }
  })

  it('is separated from the next request on the connection', async () => {
    const one = `POST ${root}/north/proxy/one HTTP/1.1\r\n${AUTHORIZED}Content-Length: 2\r\n\r\n{}`
    const two = `GET ${root}/north/proxy/two HTTP/1.1\r\n${AUTHORIZED}Connection: close\r\n\r\n`
    expect(statuses(await say(one + two))).toEqual([200, 200])
    expect(reached()).toEqual(['POST /one', 'GET /two'])
  })
})

describe('a request with a target of its own', () => {
  it.each([
    [
      'an absolute target',
      `GET https://elsewhere.test${root}/north/proxy/api HTTP/1.1\r\n${AUTHORIZED}`,
      [404],
    ],
    [
      'a target without a scheme',
      `GET //elsewhere.test${root}/north/proxy/api HTTP/1.1\r\n${AUTHORIZED}`,
      [404],
    ],
    ['an asterisk', `OPTIONS * HTTP/1.1\r\n${AUTHORIZED}`, [400]],
    ['CONNECT', `CONNECT elsewhere.test:443 HTTP/1.1\r\n${AUTHORIZED}`, []],
    [
      'an upgrade to an absolute target',
      `GET https://elsewhere.test/ HTTP/1.1\r\n${AUTHORIZED}Connection: Upgrade\r\nUpgrade: x\r\n`,
      [404],
    ],
    ['an address for an instance', `GET ${root}/127.0.0.1:6443/proxy/api HTTP/1.1\r\n${AUTHORIZED}`, [400]],
    ['an address as a name', `GET ${root}/127.0.0.1/proxy/api HTTP/1.1\r\n${AUTHORIZED}`, [404]],
    ['a user in front of an instance', `GET ${root}/x@north/proxy/api HTTP/1.1\r\n${AUTHORIZED}`, [400]],
  ])('goes nowhere: %s', async (_, head, expected) => {
    const close = head.includes('Upgrade') ? '' : 'Connection: close\r\n'
    expect(statuses(await say(`${head}${close}\r\n`))).toEqual(expected)
    expect(proxy.upstream.requests).toEqual([])
  })

  it('in its Host or Forwarded header goes to the registered instance, without that name', async () => {
    const liar =
      'Host: elsewhere.test\r\nX-Forwarded-Host: elsewhere.test\r\nForwarded: host=elsewhere.test\r\n'
    const heard = await say(
      `GET ${root}/north/proxy/api HTTP/1.1\r\n${liar}Authorization: Bearer admin\r\nConnection: close\r\n\r\n`,
    )
    expect(statuses(heard)).toEqual([200])
    const [received] = proxy.upstream.requests
    expect(received?.rawHeaders.join(' ')).not.toContain('elsewhere')
  })
})
