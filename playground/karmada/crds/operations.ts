import type { CustomResource } from '../../objects/custom-resource.js'
import { dateTime, int32, int64, list, object, oneOf, text } from '../../objects/schema.js'

const workload = object({ apiVersion: text, kind: text, name: text, namespace: text }, [
  'apiVersion',
  'kind',
  'name',
])

/** remedy.karmada.io and apps.karmada.io: acting on failing clusters, scheduling workloads afresh. */
export const operationsResources: readonly CustomResource[] = [
  {
    group: 'remedy.karmada.io',
    kind: 'Remedy',
    plural: 'remedies',
    categories: ['karmada-io'],
    scope: 'Cluster',
    description: 'What to do when member clusters show certain conditions.',
    versions: [
      {
        name: 'v1alpha1',
        spec: object({
          actions: list(text),
          clusterAffinity: object({ clusterNames: list(text) }),
          decisionMatches: list(
            object({
              clusterConditionMatch: object(
                { conditionStatus: text, conditionType: text, operator: oneOf('Equal', 'NotEqual') },
                ['conditionStatus', 'conditionType', 'operator'],
              ),
            }),
          ),
        }),
      },
    ],
  },
  {
    group: 'apps.karmada.io',
    kind: 'WorkloadRebalancer',
    plural: 'workloadrebalancers',
    scope: 'Cluster',
    description: 'Has the named workloads scheduled afresh, once.',
    versions: [
      {
        name: 'v1alpha1',
        spec: object({ ttlSecondsAfterFinished: int32, workloads: list(workload, { minItems: 1 }) }, [
          'workloads',
        ]),
        status: object({
          finishTime: dateTime,
          observedGeneration: int64,
          observedWorkloads: list(object({ reason: text, result: text, workload }, ['workload'])),
        }),
      },
    ],
  },
]
