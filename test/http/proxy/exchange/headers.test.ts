import { describe, expect, it } from 'vitest'
import { answerHeaders, requestHeaders, sandboxed } from '../../../../http/proxy/exchange/headers.js'

const caller = { user: 'jane', groups: ['team', 'system:authenticated'], extra: {} }
const identity = [
  'Impersonate-User',
  'jane',
  'Impersonate-Group',
  'team',
  'Impersonate-Group',
  'system:authenticated',
]

describe('request headers to the instance', () => {
  it('keep the caller’s headers with their spelling, and add the impersonated user', () =>
    expect(
      requestHeaders(['Accept', 'application/json;as=Table', 'X-Thing', 'a', 'X-Thing', 'b'], caller),
    ).toEqual(['Accept', 'application/json;as=Table', 'X-Thing', 'a', 'X-Thing', 'b', ...identity]))

  it.each([
    'Authorization',
    'Cookie',
    'Host',
    'Impersonate-User',
    'IMPERSONATE-GROUP',
    'Impersonate-Extra-Scopes',
    'X-Remote-User',
    'x-remote-group',
    'X-Remote-Extra-A',
    'X_Remote_User',
    'x_forwarded_for',
    'X-Real-IP',
    'X_Real_IP',
    'Impersonate_User',
    'Impersonate-Uid',
    'X-Forwarded-For',
    'X-Forwarded-Proto',
    'X-Forwarded-Host',
    'Forwarded',
    'Via',
    'Connection',
    'Keep-Alive',
    'Proxy-Authorization',
    'Proxy-Connection',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'Expect',
    'HTTP2-Settings',
  ])('omit %s', name => expect(requestHeaders([name, 'x'], caller)).toEqual(identity))

  it('omit the headers that Connection names', () =>
    expect(
      requestHeaders(['Connection', 'close, X-Secret', 'x-secret', 'a', 'x-other', 'b'], caller),
    ).toEqual(['x-other', 'b', ...identity]))

  it('names of ours in Connection take nothing of the identity away', () => {
    const whole = { user: 'jane', uid: '42', groups: ['team'], extra: { scopes: ['a'] } }
    const alone = requestHeaders([], whole)
    const names = [...new Set(alone.filter((_, index) => index % 2 === 0))]
    expect(names).toHaveLength(4)
    for (const name of [...names, 'Impersonate-Extra-Scopes'])
      for (const written of [name, name.toLowerCase(), name.toUpperCase()])
        for (const connection of [
          ['Connection', written],
          ['connection', `keep-alive, ${written} ,close`],
          ['Connection', 'close', 'CONNECTION', `${written},${written}`],
          ['Connection', names.join(', ')],
        ])
          expect(requestHeaders([...connection, name, 'forged'], whole)).toEqual(alone)
  })

  it('carry one identity, whatever the caller adds to it', () => {
    const trusted = [
      ...['Impersonate-User', 'Impersonate-Uid', 'Impersonate-Group', 'Impersonate-Extra-Scopes'],
      // Whatever Kubernetes may add one day.
      ...['Impersonate-Extra-A%2Fb', 'Impersonate-Something', 'Impersonate-'],
      ...['X-Remote-User', 'X-Remote-Group', 'X-Remote-Uid', 'X-Remote-Extra-Scopes', 'X-Remote-Anything'],
    ]
    const alone = requestHeaders(['Accept', '*/*'], caller)
    for (const name of trusted)
      for (const written of [name, name.toLowerCase(), name.toUpperCase(), name.replaceAll('-', '_')])
        expect(requestHeaders([written, 'root', 'Accept', '*/*', written, 'system:masters'], caller)).toEqual(
          alone,
        )
  })

  it('omit a token, and whose a page is, in WebSocket subprotocols and keep the others', () => {
    const [name, value] = requestHeaders(
      [
        'Sec-WebSocket-Protocol',
        'v5.channel.k8s.io, base64url.bearer.authorization.k8s.io.c2VjcmV0, v4.channel.k8s.io, session-user.kairship.io.ada',
      ],
      caller,
    )
    expect([name, value]).toEqual(['Sec-WebSocket-Protocol', 'v5.channel.k8s.io, v4.channel.k8s.io'])
    const only = ['Sec-WebSocket-Protocol', 'base64url.bearer.authorization.k8s.io.c2VjcmV0']
    expect(requestHeaders(only, caller)).toEqual(identity)
  })

  it('carry the whole caller: uid, extras with keys that no header can carry, names that are not ASCII', () => {
    const headers = requestHeaders([], {
      user: 'jürgen',
      uid: '42',
      groups: [],
      extra: { 'example.org/scopes': ['a', 'b'], 'x(y)': ['c'], 'Team/%2f': ['d'] },
    })
    expect(headers).toEqual([
      'Impersonate-User',
      Buffer.from('jürgen').toString('latin1'),
      'Impersonate-Uid',
      '42',
      'Impersonate-Extra-example.org%2Fscopes',
      'a',
      'Impersonate-Extra-example.org%2Fscopes',
      'b',
      'Impersonate-Extra-x%28y%29',
      'c',
      'Impersonate-Extra-%54eam%2F%252f',
      'd',
    ])
  })

  it.each([
    ' system:masters',
    'system:masters ',
    '\tsystem:masters',
    '\nsystem:masters',
    'a\r\nX-Evil: b',
    'e\0f',
    '\u2003x',
  ])('are refused for a name that a header would change: %j', name => {
    for (const hostile of [
      { user: name, groups: [], extra: {} },
      { user: 'jane', groups: ['team', name], extra: {} },
      { user: 'jane', uid: name, groups: [], extra: {} },
      { user: 'jane', groups: [], extra: { scopes: [name] } },
    ])
      expect(() => requestHeaders([], hostile)).toThrow(/would be another name for the instance/)
  })
})

describe('response headers to the caller', () => {
  it('are the server’s, without those of its connection', () =>
    expect(
      answerHeaders([
        'Content-Type',
        'a',
        'Connection',
        'x-hop',
        'X-Hop',
        '1',
        'Transfer-Encoding',
        'chunked',
        'Warning',
        '299',
      ]),
    ).toEqual(['Content-Type', 'a', 'Warning', '299']))

  it.each([
    ['Set-Cookie', '__Host-kairship-session=mine; Path=/; Secure; HttpOnly'],
    ['set-cookie', 'a=b'],
    ['Clear-Site-Data', '"cookies"'],
    ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'],
    ['Alt-Svc', 'h3="elsewhere:443"'],
    ['Service-Worker-Allowed', '/'],
  ])('tell a browser nothing about Kairship’s own origin: %s is left out', (name, value) =>
    expect(answerHeaders(['A', 'b', name, value, 'C', 'd'])).toEqual(['A', 'b', 'C', 'd']),
  )
})

describe('the content security of an answer', () => {
  const sandbox = ['Content-Security-Policy', 'sandbox', 'X-Content-Type-Options', 'nosniff']

  it.each([
    'application/json',
    'application/json;stream=watch',
    'application/vnd.kubernetes.protobuf',
    'text/plain; charset=utf-8',
    'Application/Octet-Stream',
  ])('leaves data unchanged: %s', type =>
    expect(sandboxed(['Content-Type', type])).toEqual(['Content-Type', type]),
  )

  it.each([
    'text/html',
    'image/svg+xml',
    'application/xml',
    'multipart/x-mixed-replace',
    '*/*',
    '',
    'text/plainx',
    'application/json, text/html',
    'text/plain; charset=utf-8,text/html',
    'application/json\\, text/html',
    'application/json text/html',
    'x',
  ])('gives a possible page an opaque origin and no scripts: %s', type =>
    expect(sandboxed(['Content-Type', type])).toEqual(['Content-Type', type, ...sandbox]),
  )

  it('forbids scripts without a content type, with two, and beside another policy', () => {
    expect(sandboxed(['A', 'b'])).toEqual(['A', 'b', ...sandbox])
    const two = ['Content-Type', 'application/json', 'content-type', 'text/html']
    expect(sandboxed([...two])).toEqual([...two, ...sandbox])
    const own = ['Content-Security-Policy', "script-src 'unsafe-inline'"]
    expect(sandboxed([...own])).toEqual([...own, ...sandbox])
  })
})
