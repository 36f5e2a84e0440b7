import { afterEach, expect, it } from 'vitest'
import { createActor, createMachine } from 'xstate'
import { AskingBudget } from '../../actors/instance/asking-budget.js'
import { ConcurrencyLimiter } from '../../actors/instance/concurrency-limiter.js'
import type { InstanceDependencies } from '../../actors/instance/dependencies.js'
import { InstanceConnection } from '../../actors/instance/instance-connection.js'
import { gatherStatistics } from '../../actors/instance/observers/resource-statistics.js'
import type { OwnObserverEvent } from '../../machines/instance/events.js'
import { CONFIG_MAPS, INDEX_CANARY } from '../../manifests/index-canary.js'
import { resourcePath } from '../../manifests/kube.js'
import { RESOURCE_BINDINGS } from '../../manifests/resource-binding.js'
import { bareStatus, StatusError } from '../../manifests/status-error.js'
import type { KubeApi, KubeRequest } from '../../ports/kube-api.js'
import { unmetered } from '../silent.js'

const canary = resourcePath(CONFIG_MAPS, INDEX_CANARY)

/** A control plane with five objects of each counted type, and nothing that ever changes. */
const controlPlane = (hasCanary: boolean): KubeApi => ({
  server: 'https://alpha',
  request: async <T>({ path, query }: KubeRequest): Promise<T> => {
    if (path === canary) {
      if (hasCanary) return {} as T
      throw new StatusError({ ...bareStatus(404, 'there is none'), reason: 'NotFound' })
    }
    const counted = query?.limit === 1
    const items = counted ? [{ metadata: { name: 'one' } }] : []
    const metadata = { resourceVersion: '1', ...(counted && { remainingItemCount: 4 }) }
    return { kind: 'List', apiVersion: 'v1', metadata, items } as T
  },
  watch: async function* ({ signal }) {
    await new Promise(resolve => signal?.addEventListener('abort', resolve, { once: true }))
  },
  close: async () => undefined,
})

let stop: () => void = () => undefined
afterEach(() => stop())

/** The figures of one of many instances, which are counted, or of one of few, which are watched. */
function figures(api: KubeApi, large = true): Promise<OwnObserverEvent> {
  const connection = new InstanceConnection()
  connection.replace({ api, kubeconfig: '', fingerprint: '' })
  const logic = gatherStatistics({
    connectionOf: () => connection,
    gathering: new ConcurrencyLimiter(1),
    asking: new AskingBudget(() => 1_000),
    startupBurst: { large, over: async () => undefined },
    paces: { statusIntervalMs: 1 },
    meter: unmetered,
  } as unknown as InstanceDependencies)
  return new Promise(resolve => {
    const parent = createMachine({
      invoke: { src: logic, input: { name: 'alpha' } },
      on: { 'statistics.observed': { actions: ({ event }) => resolve(event as OwnObserverEvent) } },
    })
    const actor = createActor(parent).start()
    stop = () => actor.stop()
  })
}

it.each([
  ['is taken off', true, 4],
  ['that is not there is not', false, 5],
])('where ConfigMaps are counted on signal, the canary %s', async (_claim, hasCanary, configmaps) => {
  expect(await figures(controlPlane(hasCanary))).toMatchObject({
    statistics: { ok: true, summary: { resourceTotalNum: { configmaps, services: 5 } } },
  })
})

it('where ConfigMaps are watched, the canary is not among them', async () => {
  const maps = [INDEX_CANARY.name, 'one', 'two'].map(name => ({
    metadata: { name, uid: name, resourceVersion: '1' },
  }))
  const api = controlPlane(true)
  const request = async ({ path, query }: KubeRequest) => {
    const isShown = ({ metadata }: (typeof maps)[number]) =>
      query?.fieldSelector !== `metadata.name!=${metadata.name}`
    const items = path === resourcePath(CONFIG_MAPS) ? maps.filter(isShown) : []
    return { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items } as never
  }
  expect(await figures({ ...api, request }, false)).toMatchObject({
    statistics: { ok: true, summary: { resourceTotalNum: { configmaps: 2, services: 0 } } },
  })
})

it('where workloads are counted on signal, their readiness comes from their bindings', async () => {
  const bindings = ['Deployment', 'Deployment', 'StatefulSet', 'ConfigMap'].map((kind, index) => ({
    metadata: { namespace: 'a', name: `${index}`, uid: `${index}`, resourceVersion: '1' },
    spec: { resource: { kind } },
    status: { conditions: [{ type: 'FullyApplied', status: 'True' }] },
  }))
  const api = controlPlane(false)
  const request: KubeApi['request'] = asked =>
    asked.path === resourcePath(RESOURCE_BINDINGS)
      ? Promise.resolve({ kind: 'List', metadata: { resourceVersion: '1' }, items: bindings } as never)
      : api.request(asked)
  const of = (readyNum: number) => ({ totalNum: 5, readyNum })
  expect(await figures({ ...api, request })).toMatchObject({
    statistics: { summary: { workLoadSummary: { deployments: of(2), statefulsets: of(1), jobs: of(0) } } },
  })
})
