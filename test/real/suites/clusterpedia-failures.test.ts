import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ApiClient, type ApiResponse } from '../api-client.js'
import { control, type EngineAction } from '../control.js'
import { eventually } from '../probe.js'

// biome-ignore lint/suspicious/noExplicitAny: objects of every shape are read here
type Json = any

const pedia = '/apis/cluster.clusterpedia.io/v1alpha2/pediaclusters/failing'
const resources = '/apis/clusterpedia.io/v1beta1/resources'
const east = 'karmada-east'
const MERGE_PATCH = { 'content-type': 'application/merge-patch+json' }

/**
 * The kube-aggregator looks again at an API that was away after up to 30 s. Clusterpedia 0.9.1 reads that API's discovery once
 * when it is Available again (`setGroupVersions`). If that one request fails, nothing reads it again: the round of every five
 * minutes was stopped when the API went away (`NegotiateSyncResources`), and begins when the PediaCluster is written next.
 */
const REDISCOVERED_WITHIN_MS = 60_000

/**
 * How Clusterpedia fails: what Kairship's router and canary exist for. Each row is a fact that the design builds on; if one
 * turns red, Clusterpedia has become better (or worse) and the design may follow.
 */
describe('Clusterpedia', () => {
  const stack = inject('stack')
  const host = new ApiClient(stack.host)
  const karmadaCredentials = stack.karmadas[east]
  if (karmadaCredentials === undefined) throw new Error(`the stack lacks ${east}`)
  const karmada = new ApiClient(karmadaCredentials)
  const engine = (name: string, action: EngineAction): Promise<void> => control(stack.control, name, action)
  /** Breaks an engine, checks what is to be seen then, and mends it whatever was seen. */
  const broken = async (name: string, action: EngineAction, check: () => Promise<void>): Promise<void> => {
    await engine(name, action)
    try {
      await check()
    } finally {
      await engine(name, 'start')
    }
  }
  const clusters = (): Promise<ApiResponse> =>
    host.send('GET', `${resources}/clusters/failing/apis/cluster.karmada.io/v1alpha1/clusters`)
  const configMaps = (scope: string): Promise<ApiResponse> =>
    host.send('GET', `${resources}${scope}/api/v1/namespaces/default/configmaps?clusters=failing`)
  const items = ({ body }: ApiResponse): Json[] => (body as Json).items ?? []
  const condition = async (type: string): Promise<string> =>
    (await host.must<Json>('GET', pedia)).status.conditions.find((found: Json) => found.type === type)?.status

  beforeAll(async () => {
    await karmada.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'seen', namespace: 'default' },
      data: { value: '1' },
    })
    await host.apply({
      apiVersion: 'cluster.clusterpedia.io/v1alpha2',
      kind: 'PediaCluster',
      metadata: { name: 'failing' },
      spec: {
        kubeconfig: Buffer.from(readFileSync(stack.kubeconfigs[east] ?? '')).toString('base64'),
        syncResources: [
          { group: '', resources: ['configmaps'] },
          { group: 'cluster.karmada.io', versions: ['v1alpha1'], resources: ['clusters'] },
        ],
      },
    })
    await eventually(async () => items(await clusters()).length === 2, 'both members indexed')
    await eventually(async () => items(await configMaps('')).length > 0, 'configmaps indexed')
  })

  afterAll(async () => {
    await host.must('DELETE', pedia)
    await karmada.must('DELETE', '/api/v1/namespaces/default/configmaps/seen')
    for (const one of [host, karmada]) await one.close()
  })

  it('indexes the aggregated type clusters with resourceVersions', async () => {
    const there = await karmada.must<Json>('GET', '/apis/cluster.karmada.io/v1alpha1/clusters/member-1')
    await eventually(async () => {
      const found = items(await clusters()).find(({ metadata }) => metadata.name === 'member-1')
      return found?.metadata.uid === there.metadata.uid && /^\d+$/.test(found.metadata.resourceVersion)
    }, 'member-1 as Karmada has it')
  })

  it('loses all members of an instance without an error when Karmada’s aggregated API is down, and has them again at the latest when its PediaCluster is written', async () => {
    await broken(`${east}-aggregated-apiserver`, 'stop', async () => {
      await eventually(async () => {
        const answer = await clusters()
        const silent = answer.headers.warning === undefined
        return items(answer).length === 0 && silent && (await condition('Ready')) === 'True'
      }, 'the members gone from the index, silently')
    })
    let written = Date.now()
    await eventually(async () => {
      if (items(await clusters()).length === 2) return true
      if (Date.now() - written > REDISCOVERED_WITHIN_MS) {
        written = Date.now()
        const annotations = { written: String(written) }
        await host.must('PATCH', pedia, { metadata: { annotations } }, MERGE_PATCH)
      }
      return false
    }, 'the members back in the index')
  })

  it('serves old objects while Karmada’s API server is down, with a warning only on the path of one cluster', async () => {
    await broken(`${east}-kube-apiserver`, 'stop', async () => {
      await eventually(async () => (await condition('Ready')) !== 'True', 'the PediaCluster not Ready')
      const one = await configMaps('/clusters/failing')
      expect(one.status).toBe(200)
      expect(items(one).map(({ metadata }) => metadata.name)).toContain('seen')
      expect(String(one.headers.warning)).toMatch(
        /^299 - "failing is not ready and the resources obtained may be inaccurate/,
      )
      const many = await configMaps('')
      expect(items(many).map(({ metadata }) => metadata.name)).toContain('seen')
      expect(many.headers.warning).toBeUndefined()
    })
    await eventually(async () => (await condition('Ready')) === 'True', 'the PediaCluster Ready again')
  })

  it('still reports syncing after its manager was killed, and only a canary shows the stall', async () => {
    const syncing = async (): Promise<boolean> => {
      const { status } = await host.must<Json>('GET', pedia)
      const conditions = status.syncResources.flatMap(({ resources }: Json) =>
        resources.flatMap(({ syncConditions }: Json) => syncConditions),
      )
      return conditions.length === 2 && conditions.every(({ status }: Json) => status === 'Syncing')
    }
    await eventually(syncing, 'both types Syncing')
    await broken('clusterpedia-clustersynchro-manager', 'crash', async () => {
      await karmada.must(
        'PATCH',
        '/api/v1/namespaces/default/configmaps/seen',
        { data: { value: '2' } },
        MERGE_PATCH,
      )
      await new Promise(resolve => setTimeout(resolve, 5_000))
      const seen = items(await configMaps('')).find(({ metadata }) => metadata.name === 'seen')
      expect(seen.data.value).toBe('1')
      expect(await condition('Ready')).toBe('True')
      expect(await syncing()).toBe(true)
    })
    await eventually(async () => {
      const now = items(await configMaps('')).find(({ metadata }) => metadata.name === 'seen')
      return now?.data.value === '2'
    }, 'the missed write caught up')
  })

  it('answers 500 while PostgreSQL is down, with its PediaCluster still Ready, and catches up', async () => {
    await broken('postgres', 'stop', async () => {
      const { status, body } = await configMaps('')
      expect(status).toBe(500)
      expect((body as Json).status).toBe('Failure')
      expect(await condition('Ready')).toBe('True')
      await karmada.must(
        'PATCH',
        '/api/v1/namespaces/default/configmaps/seen',
        { data: { value: '3' } },
        MERGE_PATCH,
      )
    })
    await eventually(async () => {
      const now = items(await configMaps('')).find(({ metadata }) => metadata.name === 'seen')
      return now?.data.value === '3'
    }, 'the write made meanwhile')
  })

  it('answers 503 through the aggregator while its API server is down', async () => {
    await broken('clusterpedia-apiserver', 'stop', async () => {
      await eventually(async () => (await configMaps('')).status === 503, 'unavailable')
    })
    await eventually(async () => (await configMaps('')).status === 200, 'available again')
  })
})
