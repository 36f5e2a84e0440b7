import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { type AuditRecord, type AuditTarget, outcomeOf } from '../../../http/audit/record.js'
import { Code, codeOfStatus } from '../../../transcoding/code.js'
import { testApi } from '../fakes/api.js'
import { type ReviewedSpec, refusal } from '../fakes/host.js'
import { fakeLog } from '../fakes/log.js'

const read = { verb: 'get', resource: 'instances/proxy', name: 'north' }
const write = { verb: 'create', resource: 'instances/proxy', name: 'north' }
const secrets: AuditTarget = {
  instance: 'north',
  verb: 'list',
  group: '',
  version: 'v1',
  resource: 'secrets',
  namespace: 'kube-system',
}

function recordOf(record: Pick<AuditRecord, 'code'> & Partial<AuditRecord>) {
  const log = fakeLog()
  log.audit.record({
    requestId: 'r',
    wire: 'proxy',
    operation: '/api',
    uri: '/p/api',
    durationMs: 1,
    ...record,
  })
  return log.audits()[0]
}

describe('an audit record', () => {
  it.each([
    [101, 'succeeded', 'OK'],
    [201, 'succeeded', 'OK'],
    [304, 'succeeded', 'OK'],
    [401, 'denied', 'UNAUTHENTICATED'],
    [403, 'denied', 'PERMISSION_DENIED'],
    [404, 'failed', 'NOT_FOUND'],
    [409, 'failed', 'ABORTED'],
    [422, 'failed', 'INVALID_ARGUMENT'],
    [500, 'unknown', 'INTERNAL'],
    [503, 'unknown', 'UNAVAILABLE'],
    [504, 'unknown', 'DEADLINE_EXCEEDED'],
  ])('of a write that the instance answered with %i has %s, %s', (status, outcome, code) => {
    expect(recordOf({ action: write, status, code: codeOfStatus(status) })).toMatchObject({
      outcome,
      code,
      status,
    })
  })

  it('is written for a read that the instance refused, with its type and namespace', () => {
    expect(recordOf({ action: read, target: secrets, status: 403, code: codeOfStatus(403) })).toMatchObject({
      outcome: 'denied',
      verb: 'get',
      target: { verb: 'list', resource: 'secrets', namespace: 'kube-system' },
    })
  })

  it('is not written for a read that was answered or found nothing', () => {
    for (const code of [Code.OK, Code.NOT_FOUND, Code.UNAVAILABLE])
      expect(recordOf({ action: read, target: { ...secrets, resource: 'pods' }, code })).toBeUndefined()
  })

  it('is written for a read of credentials, whatever came of it: of Secrets, and of kubeconfigs', () => {
    for (const code of [Code.OK, Code.NOT_FOUND, Code.UNAVAILABLE])
      expect(recordOf({ action: read, target: secrets, code })).toBeDefined()
    const kubeconfig = { verb: 'get', resource: 'instances/kubeconfig', name: 'north' }
    expect(recordOf({ action: kubeconfig, code: Code.OK })).toBeDefined()
  })

  it('is not written for a read of what another group calls secrets', () => {
    const others = { ...secrets, group: 'vault.example' }
    expect(recordOf({ action: read, target: others, code: Code.OK })).toBeUndefined()
  })

  it('has no more of a path, a user agent and the name of what is not served than a line can hold', () => {
    const long = 'x'.repeat(10_000)
    const log = fakeLog()
    const record = {
      requestId: 'r',
      wire: 'rest',
      operation: long,
      uri: long,
      userAgent: long,
      code: Code.NOT_FOUND,
    }
    log.audit.recordUnknown(record as never)
    const [kept] = log.audits() as { operation: string; uri: string; userAgent: string }[]
    expect([kept?.operation.length, kept?.uri.length, kept?.userAgent.length]).toEqual([256, 2_048, 256])
  })

  it('has no more of the names that a caller sends, in its path or its message, than names can have', () => {
    const long = 'x'.repeat(1_000_000)
    const target = {
      ...{ instance: long, cluster: long, verb: 'delete', group: long, version: long },
      ...{ resource: long, subresource: long, namespace: long, name: long },
    }
    const action = { ...write, name: long }
    const record = { operation: long, uri: long, action, target, code: Code.PERMISSION_DENIED }
    const kept = recordOf(record) as { target: Record<string, string>; name: string; operation: string }
    expect(Object.values(kept.target).map(({ length }) => length)).toEqual([
      256, 256, 6, 256, 256, 256, 256, 256, 256,
    ])
    expect([kept.name.length, kept.operation.length]).toEqual([256, 2_048])
  })
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

  it('is refused before authorization when a field that names the object is missing', async () => {
    const { api, host } = testApi()
    const caller = { user: 'admin', groups: [], extra: {} }
    const arrival = { wire: 'grpc', requestId: 'r', uri: '/', caller } as const
    const sent = host.requests.length
    const operations = api.services.flatMap(service => service.operations)
    const named = operations.filter(({ namingFields }) => namingFields.length > 0)
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

it.each([
  ['succeeded', ['OK']],
  ['denied', ['PERMISSION_DENIED', 'UNAUTHENTICATED']],
  ['unknown', ['CANCELLED', 'UNKNOWN', 'DEADLINE_EXCEEDED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS']],
  [
    'failed',
    [
      ...['INVALID_ARGUMENT', 'NOT_FOUND', 'ALREADY_EXISTS', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION'],
      ...['ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED'],
    ],
  ],
] as const)('the outcome is %s for %j', (outcome, codes) => {
  for (const code of codes) expect([code, outcomeOf(Code[code])]).toEqual([code, outcome])
})
