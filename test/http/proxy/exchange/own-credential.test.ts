import { describe, expect, it } from 'vitest'
import { refusedCredential } from '../../../../http/proxy/exchange/own-credential.js'
import { requestInfo } from '../../../../http/proxy/route/request-info.js'
import { ProxyUnderTest } from '../proxy-under-test.js'

const proxy = new ProxyUnderTest()

/** As a kube-apiserver refuses a token that has expired. */
const unauthorized = JSON.stringify({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'Unauthorized',
  reason: 'Unauthorized',
  code: 401,
})

function answersWith401(headers: Record<string, string> = {}) {
  proxy.upstream.answer = (_, response) =>
    response
      .writeHead(401, { 'content-type': 'application/json', 'audit-id': 'x', ...headers })
      .end(unauthorized)
}

describe('an instance that refuses Kairship’s own credential', () => {
  it.each([
    ['GET', '/north/proxy/api/v1/namespaces/default/configmaps'],
    ['GET', '/north/proxy/api/v1/pods?watch=true'],
    ['POST', '/north/proxy/api/v1/namespaces/default/configmaps'],
    ['GET', '/north/proxy/apis/cluster.karmada.io/v1alpha1/clusters/m/proxy/api/v1/pods'],
    ['GET', '/north/proxy/api/v1/namespaces/a/services/b/proxy/'],
  ])('becomes a 502 with a reason for the caller of %s %s', async (method, path) => {
    answersWith401()
    const { status, headers, text } = await proxy.ask(path, { method, body: method === 'POST' ? '{}' : '' })
    expect([status, headers['www-authenticate'], headers['kairship-source']]).toEqual([
      502,
      undefined,
      'kairship',
    ])
    expect(JSON.parse(text)).toMatchObject({
      kind: 'Status',
      reason: 'InstanceCredentialRefused',
      code: 502,
      message: expect.stringContaining('the instance refuses Kairship’s own credential'),
    })
  })

  it('does not pass its challenge on, which would make the caller log in to the instance', async () => {
    answersWith401({ 'www-authenticate': 'Bearer realm="karmada"' })
    const { status, headers } = await proxy.ask('/north/proxy/api/v1/pods')
    expect([status, headers['www-authenticate']]).toEqual([502, undefined])
  })

  it('leaves a record of a write that failed there', async () => {
    answersWith401()
    await proxy.ask('/north/proxy/api/v1/namespaces/default/configmaps', { method: 'POST', body: '{}' })
    expect(proxy.api.log.audits()).toMatchObject([{ code: 'UNAVAILABLE', verb: 'create' }])
  })

  it('is distinguished from a program behind it that asks for a password', async () => {
    answersWith401({ 'www-authenticate': 'Basic realm="grafana"' })
    const { status, headers } = await proxy.ask('/north/proxy/api/v1/namespaces/a/services/b/proxy/login')
    expect([status, headers['www-authenticate']]).toEqual([401, 'Basic realm="grafana"'])
  })
})

const CHALLENGE = ['WWW-Authenticate', 'Basic']
it.each<[string, number, string, readonly string[], boolean]>([
  ['a 401 of the API server', 401, '/api/v1/pods', [], true],
  ['a 403, which is for the caller', 403, '/api/v1/pods', [], false],
  ['a 401 of a program behind a pod', 401, '/api/v1/namespaces/a/pods/x/proxy/login', CHALLENGE, false],
  ['a 401 of a kubelet', 401, '/api/v1/namespaces/a/pods/x/log', CHALLENGE, true],
  ['a 401 of another group', 401, '/apis/example.io/v1/services/x/proxy/login', CHALLENGE, true],
  [
    'a 401 that names the challenge in a value alone',
    401,
    '/api/v1/namespaces/a/pods/x/proxy/login',
    ['Access-Control-Expose-Headers', 'WWW-Authenticate'],
    true,
  ],
])(
  'whether %s is a refusal of Kairship’s credential is decided correctly',
  (_what, status, path, headers, refuses) => {
    expect(refusedCredential(status, headers, requestInfo('GET', path)) !== undefined).toBe(refuses)
  },
)
