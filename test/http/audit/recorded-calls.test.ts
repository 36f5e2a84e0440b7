import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { messageOf } from '../../../http/audit/details.js'
import type { AuditDetails } from '../../../http/call/audit-details.js'
import { Code } from '../../../transcoding/code.js'
import { testApi } from '../fakes/api.js'
import { type ReviewedSpec, refusal } from '../fakes/host.js'
import { bearer, closedAfterEach, curl, grpcClient, unary } from '../fakes/listening.js'

const listening = closedAfterEach()

it('a write is recorded with its path, its address and what the caller calls itself, on each door', async () => {
  const { running, log } = await listening()
  const path = '/apis/kairship.io/v1alpha1/instances/north'
  const named = (door: string) => ({ 'user-agent': `tool/1 (${door})` })
  await curl(running, path, { token: 'nobody' }, named('rest'), 'DELETE')
  await curl(running, `${path}/proxy/api/v1/pods?a=b`, { token: 'nobody' }, named('proxy'), 'DELETE')
  const client = grpcClient(running)
  await unary(client, 'DeleteInstance', { name: 'north' }, bearer('nobody'))
  client.close()
  const common = { remote: '127.0.0.1', isDecided: true, outcome: 'denied' }
  await expect
    .poll(() => log.audits())
    .toMatchObject([
      { ...common, wire: 'rest', uri: path, userAgent: 'tool/1 (rest)' },
      { ...common, wire: 'proxy', uri: `${path}/proxy/api/v1/pods`, userAgent: 'tool/1 (proxy)' },
      {
        ...common,
        wire: 'grpc',
        uri: expect.stringMatching(/InstanceService\/DeleteInstance$/),
        userAgent: expect.stringMatching(/^grpc-node-js\//),
      },
    ])
})

describe('a call of the management API', () => {
  it('leaves a record with the requested object when it may not be read', async () => {
    const { call, log } = testApi()
    await call('north-only', 'GET', '/instances/south:explain')
    expect(log.audits()).toMatchObject([
      { outcome: 'denied', user: 'north-only', verb: 'get', resource: 'instances', name: 'south' },
    ])
  })

  it('leaves a record when the host refuses its read', async () => {
    const { call, host, log } = testApi()
    host.script = ({ method }) => {
      if (method === 'GET') throw refusal(403, 'Forbidden', 'no')
    }
    expect((await call('admin', 'GET', '/instances/north/json')).status).toBe(403)
    expect(log.audits()).toMatchObject([{ outcome: 'denied', code: 'PERMISSION_DENIED', name: 'north' }])
  })

  it('that creates is recorded with the name in its body, which the authorizer does not receive', async () => {
    const { call, host, log } = testApi()
    const spec = { kubeconfigSecretRef: { name: 'x', namespace: 'y' } }
    await call('admin', 'POST', '/instances', { data: { metadata: { name: 'west' }, spec } })
    await call('admin', 'POST', '/instances', { data: { metadata: { name: 'west' }, spec } })
    expect(log.audits()).toMatchObject([
      { outcome: 'succeeded', verb: 'create', resource: 'instances', name: 'west' },
      { outcome: 'failed', code: 'ALREADY_EXISTS', name: 'west' },
    ])
    const reviews = host.requests.filter(({ path }) => path.endsWith('/subjectaccessreviews'))
    expect(JSON.stringify(reviews)).not.toContain('west')
  })

  it('that locks somebody out is recorded with the name that the host gave the lock, and with whom it names', async () => {
    const { call, host, log } = testApi()
    host.script = ({ method, path, body }) =>
      method === 'POST' && path.endsWith('/accesslocks')
        ? { ...(body as object), metadata: { name: 'lock-x7' } }
        : undefined
    expect(
      (await call('admin', 'POST', '/access-locks', { user: 'x'.repeat(1_024), message: 'y'.repeat(1_024) }))
        .status,
    ).toBe(200)
    const [{ details = {}, ...record } = {}] = log.audits() as { readonly details?: AuditDetails }[]
    expect(record).toMatchObject({ verb: 'create', resource: 'accesslocks', name: 'lock-x7' })
    expect(details).toEqual({ user: 'x'.repeat(1_024), reason: 'y'.repeat(1_024) })
    expect(messageOf(details)).toBe(`user ${'x'.repeat(1_024)}: ${'y'.repeat(1_024)}`.slice(0, 2_048))
  })

  it('that is refused before anything was decided about its caller has no decision', async () => {
    const { call, log } = testApi()
    await call('nobody', 'PUT', '/instances/north', '{"data":')
    await call('nobody', 'DELETE', '/instances/north')
    await call('admin', 'DELETE', '/instances/north')
    await call('nobody', 'POST', '/nothing')
    expect(log.audits().map(({ isDecided = false }) => isDecided)).toEqual([false, true, true, false])
  })

  it('whose body cannot be parsed is recorded as a failed write', async () => {
    const { call, log } = testApi()
    expect((await call('admin', 'PUT', '/instances/north', '{"data":')).status).toBe(400)
    expect(log.audits()).toMatchObject([
      { outcome: 'failed', code: 'INVALID_ARGUMENT', verb: 'update', resource: 'instances' },
    ])
  })

  it('that writes and is aborted while the host works on it has an unknown outcome', async () => {
    const { api, host, log } = testApi()
    const gone = new AbortController()
    host.script = ({ method, signal }) => {
      if (method !== 'DELETE') return undefined
      gone.abort()
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    }
    const operation = api.services[0]!.operations.find(({ id }) => id === 'Instance_DeleteInstance')!
    const caller = { user: 'admin', groups: [], extra: {} }
    const arrival = { wire: 'grpc', requestId: 'r', uri: '/', caller, signal: gone.signal } as const
    const read = () => create(operation.method.input, { name: 'north' } as never)
    await expect(api.dispatcher.unary(operation, read, arrival)).rejects.toThrow('hung up')
    expect(log.audits()).toMatchObject([{ outcome: 'unknown', code: 'CANCELLED', name: 'north' }])
  })
})

describe('a call about an object of an instance', () => {
  const ingresses = '/instances/north/namespaces/shop/ingresses'
  const target = { instance: 'north', group: 'networking.k8s.io', version: 'v1', resource: 'ingresses' }

  it('is authorized as the same request through the proxy, and recorded with its object', async () => {
    const { call, host, log } = testApi()
    await call('admin', 'DELETE', `${ingresses}/web`)
    const manifest = { metadata: { name: 'made', labels: { private: 'x' } } }
    await call('admin', 'POST', ingresses, { data: JSON.stringify(manifest) })
    await call('admin', 'POST', '/instances/north/member-clusters/m1/namespaces/shop/ingresses/web:promote')
    const reviews = host.requests.filter(({ path }) => path.endsWith('/subjectaccessreviews'))
    expect(reviews.map(({ body }) => (body as { spec: ReviewedSpec }).spec.resourceAttributes)).toMatchObject(
      ['delete', 'create'].map(verb => ({
        ...{ group: 'kairship.io', verb, resource: 'instances', subresource: 'proxy', name: 'north' },
      })),
    )
    expect(log.audits().map(({ target }) => target)).toEqual([
      { ...target, verb: 'delete', namespace: 'shop', name: 'web' },
      { ...target, verb: 'create', namespace: 'shop', name: 'made' },
      { ...target, verb: 'create', namespace: 'shop', name: 'web', cluster: 'm1' },
    ])
  })

  it('that is refused is recorded with its object', async () => {
    const { call, log } = testApi()
    expect((await call('nobody', 'GET', `${ingresses}/web`)).status).toBe(403)
    expect(log.audits()).toMatchObject([
      { outcome: 'denied', verb: 'get', target: { ...target, verb: 'get', name: 'web' } },
    ])
  })

  it('is refused before authorization when the field that names what is authorized is missing', async () => {
    const { api, host } = testApi()
    const caller = { user: 'admin', groups: [], extra: {} }
    const arrival = { wire: 'grpc', requestId: 'r', uri: '/', caller } as const
    const sent = host.requests.length
    const operations = api.services.flatMap(service => service.operations)
    const named = operations.filter(({ namingFields, permission }) =>
      namingFields.includes(permission?.nameField ?? ''),
    )
    expect(named.length).toBeGreaterThan(15)
    for (const operation of named) {
      const { methodKind, input } = operation.method
      const read = () => create(input)
      const answer =
        methodKind === 'unary'
          ? api.dispatcher.unary(operation, read, arrival)
          : api.dispatcher.stream(operation, read, arrival)
      const failure = await answer.then(
        () => undefined,
        error => error,
      )
      expect(failure?.code, operation.id).toBe(Code.INVALID_ARGUMENT)
    }
    expect(host.requests.length).toBe(sent)
  })
})

describe('a stream', () => {
  const opened = async () => {
    const fakes = testApi()
    const operation = fakes.api.services[0]!.operations.find(({ id }) => id === 'Instance_WatchInstances')!
    const caller = { user: 'viewer', groups: [], extra: {} }
    const arrival = { wire: 'grpc', requestId: 'r', uri: '/', caller } as const
    const read = () => create(operation.method.input)
    const messages = await fakes.api.dispatcher.stream(operation, read, arrival)
    await messages.next()
    const ends = () =>
      [...fakes.counts.keys()].flatMap(key => /requests_total.*"code":"(\w+)"/.exec(key)?.[1] ?? [])
    return { ...fakes, messages, ends }
  }

  it('is counted when it ends, with its final code', async () => {
    const { api, messages, ends } = await opened()
    expect(ends()).toEqual([])
    api.endStreams()
    await expect(
      (async () => {
        for await (const _ of messages);
      })(),
    ).rejects.toThrow('shutting down')
    expect(ends()).toEqual(['UNAVAILABLE'])
  })

  it('is cancelled when its caller disconnects', async () => {
    const { messages, ends } = await opened()
    await messages.return?.()
    expect(ends()).toEqual(['CANCELLED'])
  })
})
