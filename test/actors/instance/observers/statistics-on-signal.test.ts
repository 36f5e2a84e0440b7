import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createActor, createMachine } from 'xstate'
import { AskingBudget } from '../../../../actors/instance/asking-budget.js'
import { instanceLimiters } from '../../../../actors/instance/concurrency-limits.js'
import type { InstanceDependencies } from '../../../../actors/instance/dependencies.js'
import { InstanceConnection } from '../../../../actors/instance/instance-connection.js'
import { gatherStatistics } from '../../../../actors/instance/observers/resource-statistics.js'
import { QUIET_MS, StartupBurst } from '../../../../actors/instance/startup-burst.js'
import type { OwnObserverEvent } from '../../../../machines/instance/events.js'
import type { KubeApi, KubeRequest } from '../../../../ports/kube-api.js'
import { unmetered } from '../../../silent.js'
import { refusal } from '../../scripted-api.js'

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  })
})
afterEach(() => {
  vi.useRealTimers()
})

const thing = { metadata: { name: 'x', uid: 'x', resourceVersion: '1' } }
const listOf = (items: readonly object[], remainingItemCount?: number) => ({
  ...{ apiVersion: 'v1', kind: 'ThingList', items },
  metadata: { resourceVersion: '1', ...(remainingItemCount !== undefined && { remainingItemCount }) },
})
const CANARY = '/api/v1/namespaces/kube-system/configmaps/kairship-index-canary'

/** Gathers the figures of one instance of a large fleet, of which only what `answers` names has objects. */
function gathering(answers: Readonly<Record<string, unknown>> = {}, fleetSize = 1_000) {
  const asked: KubeRequest[] = []
  /** Seconds that each watch asked for. */
  const lives: Record<string, number> = {}
  const api: KubeApi = {
    server: 'https://alpha',
    request: async <T>(request: KubeRequest) => {
      asked.push(request)
      const answer =
        answers[request.path] ?? (request.path === CANARY ? refusal(404, 'NotFound') : listOf([]))
      if (answer instanceof Error) throw answer
      return answer as T
    },
    async *watch({ path, query, signal }) {
      lives[path.split('/').at(-1) ?? ''] = Number(query?.timeoutSeconds)
      await new Promise(resolve => signal?.addEventListener('abort', resolve, { once: true }))
    },
    close: async () => undefined,
  }
  const connection = new InstanceConnection()
  connection.replace({ api, kubeconfig: '', fingerprint: 'one' })
  const startupBurst = new StartupBurst(() => 51)
  const reports: Extract<OwnObserverEvent, { type: 'statistics.observed' }>['statistics'][] = []
  const logic = gatherStatistics({
    ...instanceLimiters(),
    paces: { statusIntervalMs: 1_000 },
    asking: new AskingBudget(() => fleetSize),
    startupBurst,
    meter: unmetered,
    connectionOf: () => connection,
  } as unknown as InstanceDependencies)
  const parent = createMachine({
    invoke: { src: logic, input: { name: 'alpha' } },
    on: {
      'statistics.observed': {
        actions: ({ event }) =>
          reports.push((event as unknown as { statistics: (typeof reports)[number] }).statistics),
      },
    },
  })
  const actor = createActor(parent).start()
  return { asked, lives, reports, startupBurst, stop: () => actor.stop() }
}
/** The last counts of templates and policies. */
const countsOf = ({ reports }: ReturnType<typeof gathering>) => {
  const last = reports.at(-1)
  return last?.ok ? { ...last.summary.resourceTotalNum, ...last.summary.policyTotalNum } : last
}

it('a large fleet gathers statistics after its start-up burst, and none before', async () => {
  const alpha = gathering()
  await vi.advanceTimersByTimeAsync(QUIET_MS - 1)
  alpha.startupBurst.extend() // another instance became ready
  await vi.advanceTimersByTimeAsync(QUIET_MS - 1)
  expect(alpha.asked).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(alpha.asked.length).toBeGreaterThan(0)
  await vi.advanceTimersByTimeAsync(0)
  expect(alpha.reports).toMatchObject([{ ok: true }])
  alpha.stop()
})

it.each([
  [1_000, 300, 600],
  [10_000, 1_800, 3_600],
])(
  'watches that tell of changes live for their fleet: of %d, from %d to %d s',
  async (size, shortest, longest) => {
    const alpha = gathering({}, size)
    await vi.advanceTimersByTimeAsync(QUIET_MS)
    expect(Object.keys(alpha.lives).sort()).toEqual(['clusters', 'resourcebindings'])
    for (const seconds of Object.values(alpha.lives)) {
      expect(seconds).toBeGreaterThanOrEqual(shortest)
      expect(seconds).toBeLessThanOrEqual(longest)
    }
    alpha.stop()
  },
)

it('a large fleet counts by remainingItemCount, and reads one object of a type', async () => {
  const alpha = gathering({
    '/apis/apps/v1/deployments': listOf([thing], 41),
    '/api/v1/secrets': listOf([thing]),
    '/apis/policy.karmada.io/v1alpha1/propagationpolicies': listOf([thing], 1),
  })
  await vi.advanceTimersByTimeAsync(QUIET_MS)
  expect(countsOf(alpha)).toMatchObject({ deployments: 42, secrets: 1, services: 0, propagationpolicies: 2 })
  const counted = alpha.asked.filter(({ path }) => path === '/apis/apps/v1/deployments')
  expect(counted.map(({ query, accept }) => [query, accept])).toEqual([
    [{ limit: 1 }, expect.stringContaining('as=PartialObjectMetadataList')],
  ])
  alpha.stop()
})

it.each([
  ['is there, one less is counted', { metadata: { name: 'kairship-index-canary' } }, 4],
  ['is not there, all are counted', refusal(404, 'NotFound'), 5],
])('where our own ConfigMap %s', async (_where, canary, count) => {
  const alpha = gathering({ '/api/v1/configmaps': listOf([thing], 4), [CANARY]: canary })
  await vi.advanceTimersByTimeAsync(QUIET_MS)
  expect(countsOf(alpha)).toMatchObject({ configmaps: count })
  alpha.stop()
})

it('a type that cannot be counted is reported, and one that is not served is omitted', async () => {
  const notServed = refusal(404, '', '404 page not found')
  const unserved = gathering({ '/apis/batch/v1/cronjobs': notServed })
  await vi.advanceTimersByTimeAsync(QUIET_MS)
  expect(countsOf(unserved)).not.toHaveProperty('cronjobs')
  expect(countsOf(unserved)).toHaveProperty('jobs', 0)
  unserved.stop()
  const refused = gathering({ '/apis/batch/v1/cronjobs': refusal(403, 'Forbidden', 'cronjobs is forbidden') })
  await vi.advanceTimersByTimeAsync(QUIET_MS)
  expect(countsOf(refused)).toMatchObject({
    ok: false,
    failure: { reason: 'Forbidden', message: 'cronjobs.batch: cronjobs is forbidden' },
  })
  refused.stop()
})
