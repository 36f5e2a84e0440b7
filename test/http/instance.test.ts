import { describe, expect, it } from 'vitest'
import { createMachine } from 'xstate'
import { summaryOf } from '../../manifests/instance-summary.js'
import { testApi } from './fakes/api.js'
import { fakeFleet, viewOf } from './fakes/fleet.js'
import { refusal } from './fakes/host.js'

const detail = (json: { details: { '@type': string }[] }, type: string) =>
  json.details.find(item => item['@type'].endsWith(type)) as Record<string, never> | undefined

describe('reading instances', () => {
  it.each([
    ['viewer', ['north', 'south', 'west']],
    ['north-only', ['north']],
    ['nobody', []],
  ])('lists and counts for %s those that they may get: %j', async (caller, names) => {
    const fleet = fakeFleet(viewOf('north'), viewOf('south'), viewOf('west'))
    const { json } = await testApi(fleet).call(caller, 'GET', '/instances')
    expect(json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(names)
    expect(json.pagination.total).toBe(names.length)
  })

  it('returns proto3 JSON as in the contract: int64 as text, enums by name, zero values included', async () => {
    const { status, json } = await testApi().call('viewer', 'GET', '/instances/north')
    expect(status).toBe(200)
    expect(json).toMatchObject({
      metadata: {
        name: 'north',
        creationTimestamp: String(Date.parse('2026-11-20T10:00:00Z')),
        deletionTimestamp: '0',
        cluster: '',
      },
      status: {
        state: 'INSTANCE_STATE_RUNNING',
        kubernetesVersion: 'v1.36.2',
        karmadaVersion: 'v1.18.2',
        endpoint: 'https://north.test:5443',
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    })
  })

  it.each([
    ['GET', '/instances/north%2Fstatus', undefined, 'name', 'north/status'],
    ['PUT', '/instances/north%2Fstatus', { data: '{"spec":{}}' }, 'name', 'north/status'],
    ['DELETE', '/instances/north%25', undefined, 'name', 'north%'],
    ['PUT', '/instances/north%2F..%2Fsouth/failover', { enabled: true }, 'instance', 'north/../south'],
  ])(
    '%s %s names no instance: an API server would take it for another path',
    async (verb, path, body, field, name) => {
      const { call, host } = testApi()
      const { status, json } = await call('admin', verb, path, body)
      expect([status, json.message]).toEqual([
        400,
        expect.stringContaining(`${field}: is ${JSON.stringify(name)}, which is no segment of a path`),
      ])
      expect(host.requests.filter(one => !one.path.endsWith('/tokenreviews'))).toEqual([])
    },
  )

  it.each([
    ['registering', 'INSTANCE_STATE_INPROCESS'],
    ['virtualClusterSynced', 'INSTANCE_STATE_INPROCESS'],
    ['ready', 'INSTANCE_STATE_RUNNING'],
    ['degraded', 'INSTANCE_STATE_UNAVAILABLE'],
    ['deleting', 'INSTANCE_STATE_TERMINAL'],
  ] as const)('maps %s to %s', async (state, shown) => {
    const { json } = await testApi(fakeFleet(viewOf('x', state))).call('viewer', 'GET', '/instances/x')
    expect(json.status.state).toBe(shown)
  })

  it('returns an instance that the host has and no actor has observed, as UNKNOWN', async () => {
    const { call, host } = testApi()
    host.instances.set('fresh', viewOf('fresh').instance)
    const { json } = await call('viewer', 'GET', '/instances/fresh')
    expect(json.status.state).toBe('INSTANCE_STATE_UNKNOWN')
  })

  it('answers NOT_FOUND for an unknown instance', async () => {
    const { status, json } = await testApi().call('viewer', 'GET', '/instances/west')
    expect(status).toBe(404)
    expect(json).toMatchObject({ code: 5, message: 'there is no instance called "west"' })
  })

  it('answers UNAVAILABLE before the fleet has been listed', async () => {
    const fleet = fakeFleet()
    fleet.synced = false
    const { status, headers, json } = await testApi(fleet).call('viewer', 'GET', '/instances')
    expect([status, json.code, headers.get('retry-after')]).toEqual([503, 14, '1'])
  })

  it('searches names and aliases, sorts and pages', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'].map(name => viewOf(`north-${name}`))
    const { call } = testApi(
      fakeFleet(...names, viewOf('south', 'ready', { alias: 'north pole' }), viewOf('z')),
    )
    const { json } = await call(
      'viewer',
      'GET',
      '/instances?name=north&page=2&pageSize=2&sortBy=field_name&sortDir=desc',
    )
    expect(json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual([
      'north-d',
      'north-c',
    ])
    const { nextPageToken, ...pagination } = json.pagination
    expect(pagination).toEqual({ total: 6, page: 2, pageSize: 2, pages: 3 })
    const query = `name=north&pageToken=${nextPageToken}&pageSize=2&sortBy=field_name&sortDir=desc`
    const { json: last } = await call('viewer', 'GET', `/instances?${query}`)
    expect(last.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual([
      'north-b',
      'north-a',
    ])
    expect(last.pagination).not.toHaveProperty('nextPageToken')
  })

  it('returns only those with a condition that is not True or a cluster that is not ready, where a request wants them', async () => {
    const counted = (readyNum: number) => ({
      summary: {
        ...summaryOf({ members: [], policies: {}, resources: {} }),
        clusterSummary: { totalNum: 2, readyNum },
      },
    })
    const { call } = testApi(
      fakeFleet(
        viewOf('broken', 'degraded'),
        viewOf('calm'),
        viewOf('less', 'ready', undefined, counted(1)),
        viewOf('whole', 'ready', undefined, counted(2)),
      ),
    )
    const { json } = await call('viewer', 'GET', '/instances?needsAttention=true&pageSize=1')
    const { json: next } = await call(
      'viewer',
      'GET',
      `/instances?needsAttention=true&pageSize=1&pageToken=${json.pagination.nextPageToken}`,
    )
    const names = [...json.items, ...next.items].map(({ metadata }) => metadata.name)
    expect([names, json.pagination.total]).toEqual([['broken', 'less'], 2])
    const { json: both } = await call('viewer', 'GET', '/instances?needsAttention=true&name=le')
    expect(both.items).toMatchObject([{ metadata: { name: 'less' } }])
  })

  it.each([
    ['needsAttention=maybe', 'needsAttention'],
    ['sortBy=colour', 'sortBy'],
    ['page=-1', 'page'],
    ['pageSize=-2', 'pageSize'],
    ['page=two', 'page'],
    ['page=1&page=2', 'page'],
    ['nmae=x', 'nmae'],
    ['sort_dir=up', 'sortDir'],
  ])('refuses ?%s and names the field', async (query, field) => {
    const { status, json } = await testApi().call('viewer', 'GET', `/instances?${query}`)
    expect(status).toBe(400)
    expect(json.code).toBe(3)
    expect(detail(json, 'BadRequest')?.fieldViolations).toMatchObject([{ field }])
  })

  it('returns the whole object as text for editors', async () => {
    const { json } = await testApi().call('viewer', 'GET', '/instances/north/json')
    expect(JSON.parse(json.data)).toMatchObject({ kind: 'Instance', metadata: { name: 'north' } })
  })

  it('reads /instances/config as the Karmada version and not as an instance', async () => {
    const { json } = await testApi().call('viewer', 'GET', '/instances/config')
    expect(json).toEqual({ version: 'v1.18.2' })
  })

  it('explains an instance: its states, pending work, transitions with cause, and the leader', async () => {
    const { json } = await testApi().call('viewer', 'GET', '/instances/north:explain')
    expect(json).toMatchObject({
      instance: { metadata: { name: 'north' } },
      configuration: ['ready'],
      pending: ['waits'],
      transitions: [{ from: 'virtualClusterSynced', to: 'ready', cause: 'the registration was published' }],
      leading: true,
      leader: 'replica-1',
    })
  })

  it('lists transitions and returns the chart', async () => {
    const { call } = testApi()
    const { json: transitions } = await call('viewer', 'GET', '/instances/north/transitions')
    expect(transitions.items).toMatchObject([{ to: 'ready', detail: { attempts: 1 } }])
    const { json: chart } = await call('nobody', 'GET', '/instances:chart')
    const { ready } = createMachine(chart.chart).getStateNodeById('instance.managed.phase').states
    expect(ready?.always?.map(({ target }) => target?.map(({ id }) => id))).toEqual([
      ['instance.managed.phase.degraded'],
    ])
  })
})

describe('writing instances', () => {
  it('adopts the control plane of the named Secret', async () => {
    const { call, host } = testApi()
    const spec = { alias: 'East', kubeconfigSecretRef: { namespace: 'kairship-system', name: 'east' } }
    const { status, json } = await call('admin', 'POST', '/instances', {
      data: { metadata: { name: 'east', labels: { region: 'east' } }, spec },
    })
    expect(status).toBe(200)
    expect(json).toMatchObject({ metadata: { name: 'east' }, status: { state: 'INSTANCE_STATE_UNKNOWN' } })
    expect(host.instances.get('east')).toMatchObject({ metadata: { labels: { region: 'east' } }, spec })
  })

  it('installs when a request names only the host cluster’s Secret, as the contract’s clients do', async () => {
    const { call, host } = testApi()
    const secretRef = { name: 'host', namespace: 'kube-system' }
    const body = {
      cluster: 'kpanda-global',
      data: { metadata: { name: 'east' }, spec: { hostCluster: { secretRef } } },
    }
    expect((await call('admin', 'POST', '/instances', body)).status).toBe(200)
    expect(host.instances.get('east')).toMatchObject({
      metadata: { annotations: { 'kairship.io/host-cluster': 'kpanda-global' } },
      spec: { install: { hostCluster: { secretRef } } },
    })
  })

  it.each([
    [{}, ['data']],
    [{ data: {} }, ['data.metadata.name']],
    [{ data: { metadata: { name: 'x' } }, cluster: 'far' }, ['cluster']],
    [
      {
        data: {
          metadata: { name: 'x' },
          spec: { kubeconfigSecretRef: { name: 'a', namespace: 'b' }, install: {} },
        },
      },
      ['data.spec.kubeconfigSecretRef'],
    ],
    [{ data: { metadata: { name: 7 } } }, ['data.metadata.name']],
    [{ data: { metadata: { name: 'x', lables: {} }, sepc: {} } }, ['data.metadata.lables', 'data.sepc']],
    [{ data: { metadata: { name: 'x', labels: { a: 1 } } } }, ['data.metadata.labels']],
  ])('refuses %j and names %j', async (body, fields) => {
    const { status, json } = await testApi().call('admin', 'POST', '/instances', body)
    expect(status).toBe(400)
    const violations = detail(json, 'BadRequest')?.fieldViolations as unknown as { field: string }[]
    expect(violations.map(({ field }) => field)).toEqual(fields)
  })

  it.each(['', '{', '[]', '"text"', '7'])('refuses the body %j', async body => {
    const { status } = await testApi().call('admin', 'POST', '/instances', body)
    expect(status).toBe(400)
  })

  it('returns each refusal of the host’s schema, with its field under data', async () => {
    const { call, host } = testApi()
    const causes = [
      { field: 'spec.alias', message: 'Too long: may not be longer than 63', reason: 'FieldValueTooLong' },
    ]
    host.script = ({ method, path }) => {
      if (method === 'POST' && path.endsWith('/instances'))
        throw refusal(422, 'Invalid', 'is invalid', { causes })
      return undefined
    }
    const { status, json } = await call('admin', 'POST', '/instances', { data: { metadata: { name: 'x' } } })
    expect([status, json.code]).toEqual([400, 3])
    expect(detail(json, 'BadRequest')?.fieldViolations).toMatchObject([{ field: 'data.spec.alias' }])
  })

  it('answers ALREADY_EXISTS for a taken name', async () => {
    const { status, json } = await testApi().call('admin', 'POST', '/instances', {
      data: { metadata: { name: 'north' } },
    })
    expect([status, json.code]).toEqual([409, 6])
  })

  it('replaces labels, annotations and spec from YAML, and keeps fields that callers do not own', async () => {
    const { call, host } = testApi()
    const before = host.instances.get('north')!
    host.instances.set('north', {
      ...before,
      metadata: { ...before.metadata, finalizers: ['kairship.io/x'] },
    })
    const data =
      'metadata: {labels: {tier: gold}}\nspec: {alias: Nord, kubeconfigSecretRef: {namespace: a, name: b}}'
    const { status, json } = await call('admin', 'PUT', '/instances/north', { data })
    expect(status).toBe(200)
    expect(JSON.parse(json.data)).toMatchObject({ spec: { alias: 'Nord' } })
    expect(host.instances.get('north')?.metadata).toMatchObject({
      labels: { tier: 'gold' },
      finalizers: ['kairship.io/x'],
    })
  })

  it('answers ABORTED when the object was changed since the caller read it', async () => {
    const data = JSON.stringify({ metadata: { resourceVersion: '1' }, spec: {} })
    const { status, json } = await testApi().call('admin', 'PUT', '/instances/north', { data })
    expect([status, json.code]).toEqual([409, 10])
  })

  describe('that others write at the same time', () => {
    /** The API, whose host refuses the first writes of Instances with these conflicts. */
    const opposed = (conflicts: number) => {
      const api = testApi()
      let writes = 0
      api.host.script = ({ method }) => {
        if (method !== 'PUT') return undefined
        writes += 1
        if (writes <= conflicts) throw refusal(409, 'Conflict', 'the object has been modified')
        return undefined
      }
      return { ...api, writes: () => writes }
    }

    it('is updated all the same where the caller names no version', async () => {
      const { call, host, writes } = opposed(4)
      const data = JSON.stringify({ metadata: { labels: { tier: 'gold' } }, spec: {} })
      expect((await call('admin', 'PUT', '/instances/north', { data })).status).toBe(200)
      expect(host.instances.get('north')?.metadata.labels).toMatchObject({ tier: 'gold' })
      expect(writes()).toBe(5)
    })

    it.each([
      ['never ends', 1_000, {}, 5],
      ['is about a version that the caller names', 1, { resourceVersion: '1' }, 1],
      ['is about an object that the caller names', 1, { uid: 'another' }, 1],
    ])('is refused with ABORTED when that %s', async (_, conflicts, metadata, tries) => {
      const { call, writes } = opposed(conflicts)
      const data = JSON.stringify({ metadata, spec: {} })
      const { status, json } = await call('admin', 'PUT', '/instances/north', { data })
      expect([status, json.code, writes()]).toEqual([409, 10, tries])
    })
  })

  it('sends the uid of the object that the caller read: another of its name is not replaced', async () => {
    const { call, host } = testApi()
    const data = JSON.stringify({ metadata: { uid: 'of-an-earlier-one' }, spec: {} })
    await call('admin', 'PUT', '/instances/north', { data })
    const put = host.requests.find(({ method }) => method === 'PUT')
    expect(put?.body).toMatchObject({ metadata: { name: 'north', uid: 'of-an-earlier-one' } })
  })

  it.each([
    ['{', 'data'],
    ['7', 'data'],
    ['kind: Pod\nspec: {}', 'data.kind'],
    ['apiVersion: v1\nspec: {}', 'data.apiVersion'],
    ['metadata: {name: south}\nspec: {}', 'data.metadata.name'],
    ['metadata: {labels: {a: 1}}\nspec: {}', 'data.metadata.labels'],
    ['metadata: {}', 'data.spec'],
  ])('refuses to update to %j and names %s', async (data, field) => {
    const { status, json } = await testApi().call('admin', 'PUT', '/instances/north', { data })
    expect(status).toBe(400)
    expect(detail(json, 'BadRequest')?.fieldViolations).toMatchObject([{ field }])
  })

  it('refuses a manifest whose nesting would exhaust the stack', async () => {
    const { call } = testApi()
    const { status, json } = await call('admin', 'PUT', '/instances/north', { data: '['.repeat(100_000) })
    expect([status, json.code]).toEqual([400, 3])
    expect((await call('admin', 'GET', '/instances/north')).status).toBe(200)
  })

  it('deletes, deletes again during the teardown, and answers NOT_FOUND once it is gone', async () => {
    const { call, host } = testApi()
    expect(await call('admin', 'DELETE', '/instances/north')).toMatchObject({ status: 200, json: {} })
    expect((await call('admin', 'DELETE', '/instances/north')).status).toBe(200)
    host.instances.delete('north')
    expect((await call('admin', 'DELETE', '/instances/north')).status).toBe(404)
  })
})
