import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aggregatedStatus } from '../../../karmada/interpreter/aggregate-status.js'
import { type Dependency, dependenciesOf } from '../../../karmada/interpreter/dependencies.js'
import { isHealthy } from '../../../karmada/interpreter/health.js'
import { reflectedStatus } from '../../../karmada/interpreter/reflect-status.js'
import { replicasOf, withReplicas } from '../../../karmada/interpreter/replicas.js'
import { RetainError, retained } from '../../../karmada/interpreter/retain.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import { comparable } from '../../karmada/comparable.js'
import { reportedResources, resourceOf, resources } from '../../karmada/interpreter-scenarios.js'
import { KarmadaOracle } from '../karmada-oracle.js'
import { numRuns, seed } from './runs.js'

const WORKLOADS = ['apps/v1 Deployment', 'apps/v1 ReplicaSet', 'apps/v1 StatefulSet', 'batch/v1 Job'] as const
const WITH_PODS = [...WORKLOADS, 'apps/v1 DaemonSet', 'batch/v1 CronJob', 'v1 Pod'] as const
const HEALTHY = [
  ...(['apps/v1 Deployment', 'apps/v1 StatefulSet', 'apps/v1 ReplicaSet', 'apps/v1 DaemonSet'] as const),
  ...(['v1 Service', 'networking.k8s.io/v1 Ingress', 'v1 PersistentVolumeClaim', 'v1 Pod'] as const),
  'policy/v1 PodDisruptionBudget' as const,
]
const REFLECTED = [
  ...(['apps/v1 Deployment', 'apps/v1 ReplicaSet', 'apps/v1 StatefulSet', 'apps/v1 DaemonSet'] as const),
  ...([
    'v1 Service',
    'networking.k8s.io/v1 Ingress',
    'batch/v1 Job',
    'policy/v1 PodDisruptionBudget',
  ] as const),
  'autoscaling/v2 HorizontalPodAutoscaler' as const,
]
const AGGREGATED = [
  ...REFLECTED,
  ...(['batch/v1 CronJob', 'v1 Pod', 'v1 PersistentVolume', 'v1 PersistentVolumeClaim'] as const),
]
const RETAINED = [
  ...(['apps/v1 Deployment', 'v1 Pod', 'v1 Service', 'v1 PersistentVolumeClaim'] as const),
  ...(['v1 PersistentVolume', 'batch/v1 Job'] as const),
]

let oracle: KarmadaOracle
beforeAll(() => {
  oracle = new KarmadaOracle()
})
afterAll(() => oracle.close())

const ask = (method: string, question: object): Promise<unknown> =>
  oracle.ask('interpret', { method, ...question })

const agrees = <T>(scenarios: fc.Arbitrary<T>, check: (scenario: T) => Promise<void>) =>
  fc.assert(fc.asyncProperty(scenarios, check), { numRuns, seed })

describe('the interpreter of native kinds equals Karmada’s in', () => {
  it('the replicas and the requests of one replica', () =>
    agrees(resources(...WORKLOADS, 'v1 Pod'), async object => {
      expect(comparable(replicasOf(object))).toEqual(comparable(await ask('replicas', { object })))
    }))

  it('a template with other replicas', () =>
    agrees(
      fc.record({ object: resources(...WORKLOADS), replicas: fc.nat(9) }),
      async ({ object, replicas }) => {
        const theirs = await ask('revise', { object, replicas })
        expect(comparable(withReplicas(object, replicas))).toEqual(comparable(theirs))
      },
    ))

  it('dependencies', () =>
    agrees(resources(...WITH_PODS, 'networking.k8s.io/v1 Ingress'), async object => {
      const theirs = (await ask('dependencies', { object })) as readonly Dependency[] | null
      expect(inOrder(dependenciesOf(object))).toEqual(inOrder(theirs ?? []))
    }))

  it('health', () =>
    agrees(resources(...HEALTHY), async object => {
      expect(isHealthy(object)).toBe(await ask('health', { object }))
    }))

  it('the reported status', () =>
    agrees(resources(...REFLECTED), async object => {
      expect(comparable(reflectedStatus(object))).toEqual(
        comparable((await ask('status', { object })) ?? undefined),
      )
    }))

  it('the aggregated status of a template', () =>
    agrees(reportedResources(...AGGREGATED), async ({ object, items }) => {
      const theirs = (await ask('aggregate', { object, items })) as Resource
      const ours = aggregatedStatus(object, items, '2026-01-03T00:00:00Z')
      expect(comparable(ours ?? {})).toEqual(comparable(theirs.status ?? {}))
    }))

  it('the fields kept from a member’s object', () =>
    agrees(
      fc
        .constantFrom(...RETAINED)
        .chain(type => fc.record({ object: resourceOf(type), observed: resourceOf(type) })),
      async ({ object, observed }) => {
        const theirs = (await ask('retain', { object, observed })) as Resource & { readonly problem?: string }
        expect(comparable(kept(object, observed))).toEqual(comparable(theirs.problem ? {} : theirs))
      },
    ))
})

function kept(desired: Resource, observed: Resource): object {
  try {
    return retained(desired, observed)
  } catch (error) {
    if (error instanceof RetainError) return {}
    throw error
  }
}

/** Karmada takes dependencies out of Go's maps, which have no order. */
const inOrder = (dependencies: readonly Dependency[]): readonly string[] =>
  dependencies.map(one => JSON.stringify(comparable(one))).sort()
