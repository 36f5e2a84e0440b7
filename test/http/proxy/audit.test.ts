import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../../patience.js'
import { ProxyUnderTest, root } from './proxy-under-test.js'

const proxy = new ProxyUnderTest()
const audits = () => proxy.api.log.audits()
const answers = (status: number) => {
  proxy.upstream.answer = (_, response) => response.writeHead(status).end('{}')
}

describe('the audit record of a proxied request', () => {
  it.each([
    [201, 'succeeded', 'OK'],
    [403, 'denied', 'PERMISSION_DENIED'],
    [404, 'failed', 'NOT_FOUND'],
    [409, 'failed', 'ABORTED'],
    [500, 'unknown', 'INTERNAL'],
  ])('has the instance’s answer to a write: %i', async (status, outcome, code) => {
    answers(status)
    await proxy.ask('/north/proxy/api/v1/namespaces/default/configmaps?dryRun=All', { method: 'POST' })
    await waitFor(() =>
      expect(audits()).toMatchObject([
        {
          ...{ wire: 'proxy', user: 'admin', verb: 'create', resource: 'instances/proxy', name: 'north' },
          ...{ status, outcome, code, source: 'karmada' },
          target: {
            ...{ instance: 'north', verb: 'create', group: '', version: 'v1' },
            ...{ resource: 'configmaps', namespace: 'default' },
          },
        },
      ]),
    )
  })

  it('is written when a watch of Secrets begins, and when it ends; of other watches none is', async () => {
    proxy.upstream.answer = (_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    for (const resource of ['pods', 'secrets']) {
      const request = proxy.begin(`/north/proxy/api/v1/${resource}?watch=true`)
      request.end()
      const [response] = await once(request, 'response')
      if (resource === 'secrets')
        await waitFor(() =>
          expect(audits()).toMatchObject([
            { stage: 'ResponseStarted', status: 200, target: { verb: 'watch', resource: 'secrets' } },
          ]),
        )
      request.on('error', () => undefined)
      response.destroy()
    }
    await waitFor(() => expect(audits()).toMatchObject([{ stage: 'ResponseStarted' }, { code: 'CANCELLED' }]))
    expect(audits()[1]).not.toHaveProperty('stage')
  })

  it('is written for a read of a Secret, and for no other read that the instance answers', async () => {
    answers(200)
    for (const path of ['pods/secrets', 'secrets/s', 'configmaps/c'])
      await proxy.ask(`/north/proxy/api/v1/namespaces/kube-system/${path}`)
    await waitFor(() =>
      expect(audits()).toMatchObject([{ status: 200, target: { resource: 'secrets', name: 's' } }]),
    )
  })

  it.each([
    ['with encoded letters', '/api/v1/namespaces/a/%73ecrets/s', {}],
    [
      'of a member',
      '/apis/cluster.karmada.io/v1alpha1/clusters/m1/proxy/api/v1/namespaces/a/secrets/s',
      { cluster: 'm1' },
    ],
    [
      'of a member, encoded',
      '/apis/cluster.karmada.io/v1alpha1/cluster%73/m1/proxy/api/v1/namespaces/a/secret%73/s',
      { cluster: 'm1' },
    ],
    [
      'through the search proxy',
      '/apis/search.karmada.io/v1alpha1/proxying/karmada/proxy/api/v1/namespaces/a/secrets/s',
      {},
    ],
    [
      'in the search cache',
      '/apis/search.karmada.io/v1alpha1/search/cache/api/v1/namespaces/a/secrets/s',
      {},
    ],
  ])('is written for a read of a Secret %s', async (_, path, where) => {
    answers(200)
    await proxy.ask(`/north/proxy${path}?limit=1`)
    const target = { verb: 'get', group: '', resource: 'secrets', namespace: 'a', name: 's', ...where }
    await waitFor(() => expect(audits()).toMatchObject([{ status: 200, target }]))
  })

  it('is not written for other reads of members, nor of what is encoded', async () => {
    answers(200)
    for (const path of [
      '/apis/cluster.karmada.io/v1alpha1/clusters/m1/proxy/api/v1/pods',
      '/apis/cluster.karmada.io/v1alpha1/clusters/secrets/status',
      '/api/v1/namespaces/a/configmaps/%73ecrets',
    ])
      await proxy.ask(`/north/proxy${path}`)
    await proxy.ask('/north/proxy/api/v1/secrets')
    await waitFor(() => expect(audits()).toMatchObject([{ target: { resource: 'secrets' } }]))
  })

  it('of a write to a member has the object there', async () => {
    answers(201)
    await proxy.ask(
      '/north/proxy/apis/cluster.karmada.io/v1alpha1/clusters/m1/proxy/api/v1/namespaces/a/pods',
      {
        method: 'POST',
      },
    )
    const target = { instance: 'north', cluster: 'm1', verb: 'create', resource: 'pods', namespace: 'a' }
    await waitFor(() => expect(audits()).toMatchObject([{ status: 201, target }]))
  })

  it('is written for a read that the instance refuses, and for no other read', async () => {
    for (const status of [200, 404, 403]) {
      answers(status)
      await proxy.ask('/north/proxy/api/v1/namespaces/kube-system/pods/s')
    }
    await waitFor(() =>
      expect(audits()).toMatchObject([
        {
          ...{ status: 403, outcome: 'denied', code: 'PERMISSION_DENIED', verb: 'get' },
          target: { verb: 'get', resource: 'pods', namespace: 'kube-system', name: 's' },
        },
      ]),
    )
  })

  it('has the type and the subresource, also when the host refused', async () => {
    await proxy.ask('/north/proxy/apis/apps/v1/namespaces/a/deployments/d/scale', {
      token: 'viewer',
      method: 'PUT',
    })
    expect(audits()).toMatchObject([
      {
        ...{ user: 'viewer', status: 403, outcome: 'denied', verb: 'update' },
        target: { group: 'apps', resource: 'deployments', name: 'd', subresource: 'scale', verb: 'update' },
      },
    ])
  })

  it('has an unknown outcome for a write whose answer never arrived', async () => {
    proxy.upstream.answer = (_, response) => response.destroy()
    await proxy.ask('/north/proxy/api/v1/namespaces/a/pods/x', { method: 'DELETE' })
    await waitFor(() =>
      expect(audits()).toMatchObject([{ status: 503, outcome: 'unknown', code: 'UNAVAILABLE' }]),
    )
  })
})

describe('the audit record of an upgraded connection', () => {
  const exec = async (answer: string) => {
    proxy.upstream.upgrade = (_, socket) => {
      socket.on('error', () => undefined)
      socket.on('end', () => socket.end())
      socket.resume()
      socket.write(answer)
    }
    const socket = await proxy.socket()
    socket.on('error', () => undefined)
    const path = `${root}/north/proxy/api/v1/namespaces/a/pods/x/exec`
    const headers = 'Host: x\r\nAuthorization: Bearer admin\r\nConnection: Upgrade\r\nUpgrade: websocket'
    socket.write(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`)
    await once(socket, 'data')
    return socket
  }
  const accepted = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
  const target = { instance: 'north', resource: 'pods', namespace: 'a', name: 'x', subresource: 'exec' }

  it.each([
    ['ended by the caller', 'OK', 'succeeded', 'end'],
    ['of an instance that went away', 'UNAVAILABLE', 'unknown', 'gone'],
  ])('%s is written when it begins, and at its end has %s', async (_, code, outcome, how) => {
    const socket = await exec(accepted)
    const started = { stage: 'ResponseStarted', status: 101, verb: 'create', target }
    expect(audits()).toMatchObject([started])
    if (how === 'end') socket.end()
    else await proxy.upstream.api.close()
    await waitFor(() =>
      expect(audits()).toMatchObject([started, { status: 101, code, outcome, verb: 'create', target }]),
    )
  })

  it('has the instance’s refusal', async () => {
    await exec('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')
    await waitFor(() =>
      expect(audits()).toMatchObject([{ status: 403, code: 'PERMISSION_DENIED', outcome: 'denied', target }]),
    )
  })
})
