import { ageColumn, type CustomResource, type PrinterColumn } from '../../objects/custom-resource.js'
import {
  atomicList,
  dateTime,
  flag,
  int32,
  int64,
  labelSelector,
  list,
  listByKeys,
  object,
  quantity,
  type Schema,
  text,
  withDefault,
} from '../../objects/schema.js'

const scaleTarget = object({ apiVersion: text, kind: text, name: text }, ['kind', 'name'])

/** autoscaling/v2 metric shapes, which FederatedHPA borrows. */
const metricIdentifier = object({ name: text, selector: labelSelector }, ['name'])
const metricTarget = object(
  { averageUtilization: int32, averageValue: quantity, type: text, value: quantity },
  ['type'],
)
const metricValue = object({ averageUtilization: int32, averageValue: quantity, value: quantity })

/** The five metric sources, once with what is wanted (`target`) and once with what is (`current`). */
const metricSources = (field: 'target' | 'current', value: Schema): Schema =>
  object(
    {
      containerResource: object({ container: text, name: text, [field]: value }, [
        'container',
        'name',
        field,
      ]),
      external: object({ metric: metricIdentifier, [field]: value }, ['metric', field]),
      object: object({ describedObject: scaleTarget, metric: metricIdentifier, [field]: value }, [
        'describedObject',
        'metric',
        field,
      ]),
      pods: object({ metric: metricIdentifier, [field]: value }, ['metric', field]),
      resource: object({ name: text, [field]: value }, ['name', field]),
      type: text,
    },
    ['type'],
  )

const scalingRules = object({
  policies: atomicList(
    object({ periodSeconds: int32, type: text, value: int32 }, ['periodSeconds', 'type', 'value']),
  ),
  selectPolicy: text,
  stabilizationWindowSeconds: int32,
  tolerance: quantity,
})

const federatedHpaSpec = object(
  {
    behavior: object({ scaleDown: scalingRules, scaleUp: scalingRules }),
    maxReplicas: int32,
    metrics: list(metricSources('target', metricTarget)),
    minReplicas: int32,
    scaleTargetRef: scaleTarget,
  },
  ['maxReplicas', 'scaleTargetRef'],
)
const federatedHpaStatus = object(
  {
    conditions: listByKeys(
      ['type'],
      object({ lastTransitionTime: dateTime, message: text, reason: text, status: text, type: text }, [
        'status',
        'type',
      ]),
    ),
    currentMetrics: atomicList(metricSources('current', metricValue)),
    currentReplicas: int32,
    desiredReplicas: int32,
    lastScaleTime: dateTime,
    observedGeneration: int64,
  },
  ['desiredReplicas'],
)

const cronRule = object(
  {
    failedHistoryLimit: withDefault(3, { ...int32, minimum: 0, maximum: 32 }),
    name: { ...text, minLength: 1, maxLength: 32 },
    schedule: text,
    successfulHistoryLimit: withDefault(3, { ...int32, minimum: 1, maximum: 32 }),
    suspend: withDefault(false, flag),
    targetMaxReplicas: int32,
    targetMinReplicas: int32,
    targetReplicas: int32,
    timeZone: text,
  },
  ['name', 'schedule'],
)
const execution = { executionTime: dateTime, scheduleTime: dateTime }
const executionHistory = object(
  {
    failedExecutions: list(
      object({ ...execution, message: text }, ['executionTime', 'message', 'scheduleTime']),
    ),
    nextExecutionTime: dateTime,
    ruleName: text,
    successfulExecutions: list(
      object({ ...execution, appliedMaxReplicas: int32, appliedMinReplicas: int32, appliedReplicas: int32 }, [
        'executionTime',
        'scheduleTime',
      ]),
    ),
  },
  ['ruleName'],
)

const referenceColumns: readonly PrinterColumn[] = [
  { name: 'REFERENCE-KIND', type: 'string', jsonPath: '.spec.scaleTargetRef.kind' },
  { name: 'REFERENCE-NAME', type: 'string', jsonPath: '.spec.scaleTargetRef.name' },
]

/** autoscaling.karmada.io: scaling a workload over several member clusters. */
export const autoscalingResources: readonly CustomResource[] = [
  {
    group: 'autoscaling.karmada.io',
    kind: 'FederatedHPA',
    plural: 'federatedhpas',
    shortNames: ['fhpa'],
    categories: ['karmada-io'],
    scope: 'Namespaced',
    description: 'Scales a workload by metrics of all member clusters together.',
    versions: [
      {
        name: 'v1alpha1',
        spec: federatedHpaSpec,
        status: federatedHpaStatus,
        columns: [
          ...referenceColumns,
          { name: 'MINPODS', type: 'integer', jsonPath: '.spec.minReplicas' },
          { name: 'MAXPODS', type: 'integer', jsonPath: '.spec.maxReplicas' },
          { name: 'REPLICAS', type: 'integer', jsonPath: '.status.currentReplicas' },
          ageColumn,
        ],
      },
    ],
  },
  {
    group: 'autoscaling.karmada.io',
    kind: 'CronFederatedHPA',
    plural: 'cronfederatedhpas',
    shortNames: ['cronfhpa'],
    categories: ['karmada-io'],
    scope: 'Namespaced',
    description: 'Scales a workload or a FederatedHPA at set times.',
    versions: [
      {
        name: 'v1alpha1',
        spec: object({ rules: list(cronRule), scaleTargetRef: scaleTarget }, ['rules', 'scaleTargetRef']),
        status: object({ executionHistories: list(executionHistory) }),
        columns: [...referenceColumns, ageColumn],
      },
    ],
  },
]
