import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeList, KubeObject } from '../../../../manifests/kube.js'
import { CAPABILITIES_ANNOTATION } from '../../../../manifests/pedia-cluster.js'
import type { LostObjects } from '../../../../playground/container-management/faults.js'
import { eventually } from '../../../scenarios/support/eventually.js'
import { curl } from '../../fakes/listening.js'
import { type PlaygroundProxy, startPlaygroundProxy } from '../playground-proxy.js'

const maps = '/api/v1/namespaces/default/configmaps'
const clusters = '/apis/cluster.karmada.io/v1alpha1/clusters?limit=500'
let proxy: PlaygroundProxy

beforeAll(async () => {
  proxy = await startPlaygroundProxy()
  const { local } = karmada()
  for (const name of ['first', 'second'])
    await local.request({ method: 'POST', path: maps, body: { metadata: { name } } })
  await local.request({
    method: 'POST',
    path: '/apis/cluster.karmada.io/v1alpha1/clusters',
    body: { metadata: { name: 'another' }, spec: { syncMode: 'Pull' } },
  })
  // An index that declares nothing, as Clusterpedia's: lists only, which do not say what they show.
  await proxy.playground.host.local.request({
    method: 'PATCH',
    path: `/apis/cluster.clusterpedia.io/v1alpha2/pediaclusters/k-${proxy.instance}`,
    contentType: 'application/merge-patch+json',
    body: { metadata: { annotations: { [CAPABILITIES_ANNOTATION]: null } } },
  })
  await eventually('the index answers lists only', async () => {
    const { reason } = await list(`${maps}/first`)
    return reason === 'NotLossless' && (await list(maps)).names.length === 2
  })
  await eventually('the index answers lists', async () => (await list(maps)).source === 'index')
})
afterAll(() => proxy?.close())

const karmada = () => proxy.playground.karmadas.get(proxy.instance)!.server

async function list(path: string) {
  const { admin } = proxy.playground.tokens
  const root = `/apis/kairship.io/v1alpha1/instances/${proxy.instance}/proxy`
  const { status, headers, text } = await curl(proxy.api, `${root}${path}`, { token: admin })
  // Whatever fails behind an aggregated API is plain text.
  const { items = [] }: Partial<KubeList<KubeObject>> = status === 200 ? JSON.parse(text) : {}
  return {
    status,
    source: headers['kairship-source'],
    reason: headers['kairship-source-reason'],
    warning: headers.warning,
    names: items.map(({ metadata }) => metadata.name).sort(),
  }
}

async function whileLost(fault: Omit<LostObjects, 'kind' | 'cluster'>, act: () => Promise<void>) {
  const { containerManagement } = proxy.playground
  const mend = containerManagement.interrupt({
    kind: 'loseObjects',
    cluster: `k-${proxy.instance}`,
    ...fault,
  })
  try {
    await act()
  } finally {
    mend()
  }
}

describe('an index that has lost objects of a type and reports Ready', () => {
  it('does not hide them: an empty list is answered by the instance', async () => {
    await whileLost({ group: '', resource: 'configmaps' }, async () => {
      expect(await list(maps)).toEqual({
        status: 200,
        source: 'karmada',
        reason: 'Empty',
        warning: undefined,
        names: ['first', 'second'],
      })
    })
    await eventually('the index answers again', async () => (await list(maps)).source === 'index')
  })

  it.each([
    ['all', 0],
    ['some', 1],
  ])(
    'does not hide %s objects of an aggregated API: its lists are answered by the instance',
    async (_, keep) => {
      await whileLost({ group: 'cluster.karmada.io', resource: 'clusters', keep }, async () => {
        expect(await list(clusters)).toEqual({
          status: 200,
          source: 'karmada',
          reason: 'Aggregated',
          warning: undefined,
          names: ['another', proxy.member].sort(),
        })
      })
    },
  )

  it('gives an error for a list of an aggregated API that is away', async () => {
    const { setAggregatedApiAvailable } = proxy.playground.karmadas.get(proxy.instance)!
    await setAggregatedApiAvailable(false)
    try {
      expect(await list(clusters)).toMatchObject({ status: 503, source: 'karmada' })
    } finally {
      await setAggregatedApiAvailable(true)
    }
    await eventually('that API answers again', async () => (await list(clusters)).names.length === 2)
  })

  it('is not used for a namespace that is empty in the instance too', async () => {
    const { status, names, source } = await list('/api/v1/namespaces/nowhere/configmaps')
    expect([status, names, source]).toEqual([200, [], 'karmada'])
  })
})

describe('an index whose instance refuses connections', () => {
  it('still answers with a warning, except for empty lists', async () => {
    expect((await list(maps)).source).toBe('index')
    const comeBack = karmada().interrupt({ kind: 'refuseConnections' })
    try {
      const instead = await eventually('the index answers in its place', async () => {
        const answer = await list(maps)
        return answer.reason === 'InstanceAway' ? answer : undefined
      })
      expect(instead).toMatchObject({ status: 200, source: 'index', names: ['first', 'second'] })
      expect(instead.warning).toMatch(/the instance cannot be reached/)
      for (const path of [clusters, '/api/v1/namespaces/nowhere/configmaps'])
        expect(await list(path)).toMatchObject({ status: 503 })
    } finally {
      comeBack()
    }
    await eventually('the index answers as ever', async () => (await list(maps)).reason === 'Index')
  })
})
