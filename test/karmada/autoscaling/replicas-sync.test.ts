import { describe, expect, it } from 'vitest'
import { replicasToSync } from '../../../karmada/autoscaling/replicas-sync.js'
import { type Autoscaler, markPatch, marks } from '../../../karmada/autoscaling/scale-target-mark.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import type { Binding } from '../../../karmada/objects/resource-binding.js'
import type { KubeObject } from '../../../manifests/kube.js'

const RETAIN = 'resourcetemplate.karmada.io/retain-replicas'

const template = (replicas: number, reported: number, labels: object = { [RETAIN]: 'true' }): Resource =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'default', name: 'web', labels },
    spec: { replicas },
    status: { replicas: reported },
  }) as unknown as Resource

/** A binding of four replicas in two clusters, which report so many. */
const binding = (reported: readonly number[], rest: object = {}, type = 'Divided'): Binding =>
  ({
    apiVersion: 'work.karmada.io/v1alpha2',
    kind: 'ResourceBinding',
    metadata: { namespace: 'default', name: 'web-deployment', generation: 2 },
    spec: {
      resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' },
      replicas: 4,
      clusters: [{ name: 'a' }, { name: 'b' }],
      placement: { replicaScheduling: { replicaSchedulingType: type } },
      ...rest,
    },
    status: {
      schedulerObservedGeneration: 2,
      aggregatedStatus: reported.map((replicas, at) => ({
        clusterName: 'ab'[at],
        ...(replicas >= 0 && { status: { replicas } }),
      })),
    },
  }) as unknown as Binding

describe('the replicas of a template whose members scale', () => {
  it.each<[string, Resource, Binding, ReturnType<typeof replicasToSync>]>([
    ['follow what the members report', template(4, 6), binding([3, 3]), 6],
    ['stay when they are as reported', template(4, 4), binding([2, 2]), undefined],
    ['stay when they are duplicated', template(4, 6), binding([3, 3], {}, 'Duplicated'), undefined],
    ['stay when they are Karmada’s', template(4, 6, {}), binding([3, 3]), undefined],
    ['wait for the binding', template(10, 6), binding([3, 3]), 'wait'],
    [
      'wait for the scheduler',
      template(4, 6),
      { ...binding([3, 3]), metadata: { name: 'x', generation: 3 } },
      'wait',
    ],
    ['wait for each cluster', template(4, 3), binding([3]), 'wait'],
    ['wait for a cluster that has not said how many', template(4, 3), binding([3, -1]), 'wait'],
    ['wait for a cluster whose autoscaler has not begun', template(4, 3), binding([3, 0]), 'wait'],
    ['wait for the status of the template', template(4, 5), binding([3, 3]), 'wait'],
    ['wait for that also while it says what the template asks for', template(4, 4), binding([3, 3]), 'wait'],
  ])('%s', (_, one, other, wanted) => {
    expect(replicasToSync(one, other)).toBe(wanted)
  })
})

const CLAIM = { 'propagationpolicy.karmada.io/permanent-id': '1' }
const hpa = (name: string, labels: Readonly<Record<string, string>> = CLAIM): Autoscaler => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { namespace: 'default', name: 'h', labels },
  spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name }, maxReplicas: 3 },
})
const web = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
const api = { ...web, name: 'api' }

describe('the mark of workloads that members scale', () => {
  it.each<[string, ReturnType<typeof marks>, ReturnType<typeof marks>]>([
    ['is set for a propagated autoscaler', marks(undefined, hpa('web')), [{ target: web, isOn: true }]],
    ['is not set for one that no policy claimed', marks(undefined, hpa('web', {})), []],
    [
      'moves with its target',
      marks(hpa('web'), hpa('api')),
      [
        { target: web, isOn: false },
        { target: api, isOn: true },
      ],
    ],
    ['goes with the autoscaler', marks(hpa('web'), undefined), [{ target: web, isOn: false }]],
    ['stays when a policy lets it go', marks(hpa('web'), hpa('web', {})), []],
  ])('%s', (_, found, wanted) => {
    expect(found).toEqual(wanted)
  })

  it('is written once', () => {
    const one = (labels: object) => ({ metadata: { name: 'web', labels } }) as unknown as KubeObject
    expect(markPatch(one({}), true)).toEqual({ metadata: { labels: { [RETAIN]: 'true' } } })
    expect(markPatch(one({ [RETAIN]: 'true' }), true)).toBeUndefined()
    expect(markPatch(one({ [RETAIN]: 'true' }), false)).toEqual({ metadata: { labels: { [RETAIN]: null } } })
    expect(markPatch(one({}), false)).toBeUndefined()
  })
})
