import { describe, expect, it } from 'vitest'
import { testApi } from '../fakes/api.js'

/** What reaches the handler, seen through the write it leads to. */
const created = async (query: string, body?: unknown) => {
  const { call, host } = testApi()
  const { status, json } = await call('admin', 'POST', `/instances${query}`, body)
  return { status, json, instance: host.instances.get('x') }
}
const fields = (json: { details: { fieldViolations?: { field: string }[] }[] }) =>
  json.details.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field))

describe('a request message', () => {
  it('accepts JSON names and proto names, and null as absent', async () => {
    const { status, instance } = await created('', {
      data: {
        metadata: { name: 'x', deletion_timestamp: '0', creationTimestamp: 12 },
        spec: { kubeconfig_secret_ref: { namespace: 'a', name: 'b', key: null }, install: null },
      },
    })
    expect(status).toBe(200)
    expect(instance?.spec).toEqual({ kubeconfigSecretRef: { namespace: 'a', name: 'b' } })
  })

  it('keeps free-form JSON unchanged', async () => {
    const karmadaSpec = {
      components: { karmadaSearch: {} },
      featureGates: { Failover: true },
      deep: [1, [null]],
    }
    const { instance } = await created('', {
      data: { metadata: { name: 'x' }, spec: { install: { karmadaSpec } } },
    })
    expect(instance?.spec.install?.karmadaSpec).toEqual(karmadaSpec)
  })

  it.each([
    ['page', 'two', '-2147483648 to 2147483647'],
    ['page', '99999999999', '-2147483648 to 2147483647'],
    ['since', 'yesterday', '-9223372036854775808 to 9223372036854775807'],
    ['since', '1.5', '-9223372036854775808 to 9223372036854775807'],
  ])(
    'is refused for what is no number in %s (%s), with the numbers that it may have',
    async (field, text, range) => {
      const { status, json } = await testApi().call('admin', 'GET', `/audit-events?${field}=${text}`)
      expect([status, json.message]).toEqual([
        400,
        `${field}: is "${text}", but must be a whole number from ${range}`,
      ])
    },
  )

  it('accepts no query parameters beside a whole body', async () => {
    const { status, json } = await created('?cluster=x', { data: { metadata: { name: 'x' } } })
    expect([status, fields(json)]).toEqual([400, ['cluster']])
  })

  it('takes the value of the path over that of the body', async () => {
    const { call, host } = testApi()
    const data = JSON.stringify({ spec: { alias: 'changed' } })
    expect((await call('admin', 'PUT', '/instances/north', { name: 'south', data })).status).toBe(200)
    expect(host.instances.get('north')?.spec.alias).toBe('changed')
    expect(host.instances.get('south')?.spec.alias).toBeUndefined()
  })

  it('reports every wrong field with its path', async () => {
    const { json } = await created('', {
      data: {
        metadata: { name: 'x', ownerReferences: [{ uid: 1 }, { controller: 'yes' }] },
        spec: { index: { resources: [{ group: '' }, { resource: [] }] }, install: { karmadaSpec: [] } },
        status: { state: 'SLEEPING', summary: { workLoadSummary: { Pod: { totalNum: 'many' } } } },
      },
    })
    expect(fields(json)).toEqual([
      'data.metadata.ownerReferences[0].uid',
      'data.metadata.ownerReferences[1].controller',
      'data.spec.index.resources[1].resource',
      'data.spec.install.karmadaSpec',
      'data.status.state',
      'data.status.summary.workLoadSummary[Pod].totalNum',
    ])
  })

  it('names the values that a field may have, in a body and in a query', async () => {
    const described = (json: { details: { fieldViolations?: { description: string }[] }[] }) =>
      json.details.flatMap(({ fieldViolations = [] }) =>
        fieldViolations.map(({ description }) => description),
      )
    const body = await created('', { data: { metadata: { name: 'x' }, status: { state: 'SLEEPING' } } })
    expect(described(body.json)).toEqual([
      expect.stringMatching(/^is "SLEEPING", but must be one of INSTANCE_STATE_\w+(, INSTANCE_STATE_\w+)+$/),
    ])
    const { call } = testApi()
    const { status, json } = await call('admin', 'GET', '/instances?sortDir=up')
    expect([status, described(json)]).toEqual([400, ['is "up", but must be one of desc, asc']])
    const action = { instance: 'north', action: 'bind' }
    const bound = await call('admin', 'POST', '/workspace-management/instances/-/actions', action)
    expect(described(bound.json)).toEqual(['is "bind", but must be one of BIND, UNBIND'])
  })

  it.each([
    [
      'data',
      { data: 'kind: Instance' },
      'must be a JSON object with the fields of Instance, but is a string',
    ],
    [
      'data.metadata.ownerReferences[0]',
      { data: { metadata: { ownerReferences: ['x'] } } },
      'must be a JSON object with the fields of OwnerReference, but is a string',
    ],
    [
      'data.spec',
      { data: { spec: [] } },
      'must be a JSON object with the fields of InstanceSpec, but is a list',
    ],
  ])(
    'says of %s, which is no object, that it must be one, and of which fields',
    async (field, body, text) => {
      const { status, json } = await created('', body)
      expect([status, json.message]).toEqual([400, `${field}: ${text}`])
    },
  )

  it('names the parameters that there are for one that there is not', async () => {
    const { call } = testApi()
    const listed = await call('admin', 'GET', '/instances?pagesize=2&x=1')
    expect(listed.status).toBe(400)
    expect(listed.json.message).toMatch(
      /^pagesize: there is no field pagesize in ListInstancesRequest: its parameters are name, page, pageSize, .* \(and 1 more\)$/,
    )
    const { json } = await call('admin', 'GET', '/instances/north/transitions?labelSelector=a')
    expect(json.message).toBe(
      'labelSelector: there is no field labelSelector in ListInstanceTransitionsRequest: it has no parameters',
    )
  })

  it('names the item of a list that is of another type', async () => {
    const { json } = await created('', { data: { metadata: { name: 'x', finalizers: ['a', {}] } } })
    expect(json.message).toBe('data.metadata.finalizers[1]: expected string, got object')
  })

  it.each([
    ['text/plain', '{}'],
    ['application/x-www-form-urlencoded', 'a=b'],
    ['application/yaml', 'a: b'],
  ])('refuses a body of %s', async (type, body) => {
    const { call } = testApi()
    const { status, json } = await call('admin', 'POST', '/instances', body, { 'content-type': type })
    expect([status, json.message]).toEqual([
      400,
      `content-type ${type} is not understood: send application/json`,
    ])
  })

  it('refuses a body that is too large, and leaves an audit record', async () => {
    const { call, log } = testApi()
    const large = JSON.stringify({ data: { metadata: { name: 'x'.repeat(3 * 1024 * 1024) } } })
    for (const headers of [{}, { 'content-length': String(large.length) }]) {
      log.lines.length = 0
      expect((await call('admin', 'POST', '/instances', large, headers)).json.message).toMatch(
        /larger than 3145728 bytes/,
      )
      expect(log.audits()).toMatchObject([
        { operation: 'Instance_CreateInstance', code: 'INVALID_ARGUMENT', verb: 'create', user: 'admin' },
      ])
    }
  })

  it('refuses a body with too many values for a caller without rights, and leaves a record', async () => {
    const { call, log, host } = testApi()
    const karmadaSpec = { a: Array(30_000).fill({}) }
    const body = { data: { metadata: { name: 'x' }, spec: { install: { karmadaSpec } } } }
    const { status, json } = await call('nobody', 'POST', '/instances', body)
    expect([status, json.message]).toEqual([400, 'the body has more than 50000 values'])
    expect(host.requests.filter(({ path }) => path.endsWith('/subjectaccessreviews'))).toEqual([])
    expect(log.audits()).toMatchObject([{ code: 'INVALID_ARGUMENT', user: 'nobody' }])
  })

  it('names each of many unknown parameters once', async () => {
    const { call } = testApi()
    const many = Array.from({ length: 2_000 }, (_, index) => `a${index}=1&a${index}=2`).join('&')
    const { json } = await call('viewer', 'GET', `/instances?${many}`)
    expect(json.message).toMatch(/^a0: there is no field a0 in ListInstancesRequest: .* \(and 1999 more\)/)
  })

  it('leaves an audit record for an unserved path, unless the method can only read', async () => {
    const { call, log } = testApi()
    await call('admin', 'GET', '/nothing')
    await call('admin', 'GET', '/instances/north/nothing')
    expect(log.audits()).toEqual([])
    expect((await call('admin', 'POST', '/nothing', {})).status).toBe(404)
    expect((await call('viewer', 'PATCH', '/instances', {})).status).toBe(405)
    const path = '/apis/kairship.io/v1alpha1'
    expect(log.audits()).toMatchObject([
      { operation: `POST ${path}/nothing`, code: 'NOT_FOUND', outcome: 'failed', user: 'admin' },
      { operation: `PATCH ${path}/instances`, code: 'UNIMPLEMENTED', outcome: 'failed', user: 'viewer' },
    ])
  })

  it('accepts an object of a megabyte', async () => {
    const { status, instance } = await created('', {
      data: { metadata: { name: 'x', annotations: { big: 'x'.repeat(1024 * 1024) } } },
    })
    expect([status, instance?.metadata.annotations?.big?.length]).toEqual([200, 1024 * 1024])
  })

  it.each(['__proto__', 'constructor', 'data.__proto__.x'])('has no field called %s', async name => {
    const { call } = testApi()
    expect((await call('viewer', 'GET', `/instances?${name}=1`)).status).toBe(400)
    const body = `{"data":{"metadata":{"name":"x"},"__proto__":{"a":1}}}`
    expect((await call('admin', 'POST', '/instances', body)).status).toBe(400)
  })
})
