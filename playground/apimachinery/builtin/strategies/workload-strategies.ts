import { child, type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.js'
import {
  at,
  equal,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  stringAt,
  withAt,
} from '../../json.js'
import type { Strategy } from '../../resource-definition.js'
import { podDefaults, podSpecDefaults, podSpecErrors } from './pod-spec.js'
import { immutable, notNegative, selectorErrors } from './selector-rules.js'
import { fill, keepStatus, mapAt, statusDoor } from './status-door.js'

const templateDefaults = (object: JsonObject): JsonObject =>
  mapAt(object, ['spec', 'template', 'spec'], podSpecDefaults)

/** What an update strategy of this type gets when it says no more. */
const withRolling =
  (field: 'strategy' | 'updateStrategy', rolling: JsonObject) =>
  (object: JsonObject): JsonObject =>
    mapAt(object, ['spec', field], strategy => {
      if (strategy.type !== undefined && strategy.type !== 'RollingUpdate') return strategy
      const own = isObject(strategy.rollingUpdate) ? strategy.rollingUpdate : {}
      const filled = fill(own, rolling)
      return filled === own && strategy.type !== undefined
        ? strategy
        : { ...strategy, type: 'RollingUpdate', rollingUpdate: filled }
    })

function templateErrors(object: JsonObject, restartPolicies: readonly string[] = ['Always']): FieldError[] {
  return podSpecErrors(objectAt(object, 'spec', 'template', 'spec'), 'spec.template.spec', restartPolicies)
}

function replicatedErrors(object: JsonObject, kind: string, ...numbers: readonly string[]): FieldError[] {
  const spec = objectAt(object, 'spec')
  return [
    ...notNegative('spec', spec, 'replicas', 'minReadySeconds', 'revisionHistoryLimit', ...numbers),
    ...selectorErrors(spec, kind),
    ...templateErrors(object),
  ]
}

const selectorStays = (object: JsonObject, old: JsonObject | undefined): FieldError[] =>
  old ? immutable('spec.selector', objectAt(object, 'spec').selector, objectAt(old, 'spec').selector) : []

const UNCONDITIONAL = { allowsUnconditionalUpdate: true } as const

export const deployment: Strategy = {
  ...UNCONDITIONAL,
  ...statusDoor({}),
  defaults: object =>
    templateDefaults(withRolling('strategy', { maxUnavailable: '25%', maxSurge: '25%' })(object)),
  // Annotations count, too: the controller copies them to the replica sets.
  bumpsGeneration: (object, old) =>
    !equal(objectAt(object, 'spec'), objectAt(old, 'spec')) ||
    !equal(objectAt(object, 'metadata', 'annotations'), objectAt(old, 'metadata', 'annotations')),
  validate: (object, old) => {
    const spec = objectAt(object, 'spec')
    const errors = [...replicatedErrors(object, 'deployment', 'progressDeadlineSeconds')]
    const type = stringAt(spec, 'strategy', 'type')
    if (type !== '' && type !== 'Recreate' && type !== 'RollingUpdate') {
      // The server shows its internal form of the strategy.
      const shown = { Type: type, RollingUpdate: at(spec, 'strategy', 'rollingUpdate') ?? null }
      errors.push(notSupported('spec.strategy', shown, ['Recreate', 'RollingUpdate']))
    }
    if (
      stringAt(spec, 'strategy', 'type') === 'Recreate' &&
      at(spec, 'strategy', 'rollingUpdate') !== undefined
    ) {
      errors.push(
        forbidden('spec.strategy.rollingUpdate', "may not be specified when strategy `type` is 'Recreate'"),
      )
    }
    return [...errors, ...countErrors(objectAt(object, 'status')), ...selectorStays(object, old)]
  },
}

/** Some replicas are never more than all. */
function countErrors(status: JsonObject): FieldError[] {
  const count = (field: string): number => Number(status[field] ?? 0)
  const some = ['updatedReplicas', 'readyReplicas', 'availableReplicas'].map(
    field => [field, 'replicas'] as const,
  )
  return [...some, ['availableReplicas', 'readyReplicas'] as const].flatMap(([part, whole]) =>
    count(part) > count(whole)
      ? invalid(
          `status.${part}`,
          count(part),
          `cannot be greater than ${whole === 'replicas' ? 'status.replicas' : whole}`,
        )
      : [],
  )
}

export const replicaSet: Strategy = {
  ...UNCONDITIONAL,
  ...statusDoor({ replicas: 0 }),
  defaults: templateDefaults,
  validate: (object, old) => [...replicatedErrors(object, 'replicaset'), ...selectorStays(object, old)],
}

/** The claims of a StatefulSet are whole objects, and are kept as such. */
function claimTemplates(object: JsonObject): JsonObject {
  const templates = listAt(object, 'spec', 'volumeClaimTemplates')
  if (templates.length === 0) return object
  const whole = templates.map(template =>
    isObject(template)
      ? { kind: 'PersistentVolumeClaim', apiVersion: 'v1', ...template, status: { phase: 'Pending' } }
      : template,
  )
  return withAt(object, ['spec', 'volumeClaimTemplates'], whole)
}

const STATEFUL_SET_MUTABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]

export const statefulSet: Strategy = {
  ...UNCONDITIONAL,
  ...statusDoor({ availableReplicas: 0, replicas: 0 }),
  defaults: object =>
    claimTemplates(templateDefaults(withRolling('updateStrategy', { partition: 0 })(object))),
  validate: (object, old) => {
    const errors = replicatedErrors(object, 'statefulset')
    if (!old) return errors
    const strip = (one: JsonObject) =>
      STATEFUL_SET_MUTABLE.reduce((spec, key) => withAt(spec, [key], undefined), objectAt(one, 'spec'))
    if (equal(strip(object), strip(old))) return errors
    return [
      ...errors,
      forbidden(
        'spec',
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      ),
    ]
  },
}

/** DaemonSets still count their templates in an annotation, because their pods were once labelled with the number. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation'

const withTemplateGeneration = (object: JsonObject, generation: string): JsonObject =>
  withAt(object, ['metadata', 'annotations', TEMPLATE_GENERATION], generation)

function nextTemplateGeneration(object: JsonObject, old: JsonObject): JsonObject {
  const before = Number(objectAt(old, 'metadata', 'annotations')[TEMPLATE_GENERATION] ?? 1)
  const same = equal(objectAt(object, 'spec').template, objectAt(old, 'spec').template)
  return withTemplateGeneration(object, String(same ? before : before + 1))
}

export const daemonSet: Strategy = {
  ...UNCONDITIONAL,
  ...statusDoor({
    currentNumberScheduled: 0,
    desiredNumberScheduled: 0,
    numberMisscheduled: 0,
    numberReady: 0,
  }),
  prepareForUpdate: (object, old) => nextTemplateGeneration(keepStatus(object, old), old),
  defaults: object => {
    const filled = templateDefaults(withRolling('updateStrategy', { maxUnavailable: 1, maxSurge: 0 })(object))
    const counted = objectAt(filled, 'metadata', 'annotations')[TEMPLATE_GENERATION] !== undefined
    return counted ? filled : withTemplateGeneration(filled, '1')
  },
  validate: (object, old) => [...replicatedErrors(object, 'daemonset'), ...selectorStays(object, old)],
}

export const replicationController: Strategy = {
  ...UNCONDITIONAL,
  ...statusDoor({ replicas: 0 }),
  defaults: object => {
    const labels = at(object, 'spec', 'template', 'metadata', 'labels')
    const filled = templateDefaults(object)
    if (!isObject(labels)) return filled
    const selected = mapAt(filled, ['spec'], spec => fill(spec, { selector: labels }))
    return mapAt(selected, ['metadata'], metadata => fill(metadata, { labels }))
  },
  validate: object => [
    ...notNegative('spec', objectAt(object, 'spec'), 'replicas', 'minReadySeconds'),
    ...(Object.keys(objectAt(object, 'spec', 'selector')).length === 0 ? [required('spec.selector')] : []),
    ...templateErrors(object),
  ],
}

/** Fields of a pod that may change after creation; the rest of the spec is what it was created with. */
const POD_MUTABLE = [
  'activeDeadlineSeconds',
  'tolerations',
  'terminationGracePeriodSeconds',
  'schedulingGates',
]
const POD_UPDATES =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

function frozenPodSpec(pod: JsonObject): JsonObject {
  const withoutImages = (list: readonly Json[]): Json[] =>
    list.map(one => (isObject(one) ? withAt(one, ['image'], undefined) : one))
  let spec = POD_MUTABLE.reduce((rest, key) => withAt(rest, [key], undefined), objectAt(pod, 'spec'))
  for (const key of ['containers', 'initContainers']) {
    if (listAt(spec, key).length > 0) spec = { ...spec, [key]: withoutImages(listAt(spec, key)) }
  }
  // Binding (nodeName) and what admission filled in count as set once, not as a change.
  return withAt(withAt(spec, ['nodeName'], undefined), ['ephemeralContainers'], undefined)
}

/** Guaranteed when all limits equal requests, BestEffort when there are none, else Burstable. */
function qosClass(pod: JsonObject): string {
  const containers = [...listAt(pod, 'spec', 'containers'), ...listAt(pod, 'spec', 'initContainers')]
  const resources = containers.map(container => objectAt(container, 'resources'))
  if (resources.every(one => at(one, 'limits') === undefined && at(one, 'requests') === undefined))
    return 'BestEffort'
  const guaranteed = resources.every(one => {
    const limits = objectAt(one, 'limits')
    return ['cpu', 'memory'].every(
      name => limits[name] !== undefined && equal(limits[name], at(one, 'requests', name) ?? limits[name]),
    )
  })
  return guaranteed ? 'Guaranteed' : 'Burstable'
}

export const pod: Strategy = {
  ...UNCONDITIONAL,
  ...statusDoor({}),
  prepareForCreate: object => ({ ...object, status: { phase: 'Pending', qosClass: qosClass(object) } }),
  defaults: object => mapAt(object, ['spec'], podDefaults),
  validate: (object, old) => {
    const errors = podSpecErrors(objectAt(object, 'spec'), 'spec')
    if (!old || equal(frozenPodSpec(object), frozenPodSpec(old))) return errors
    return [...errors, forbidden('spec', POD_UPDATES)]
  },
}

export const podTemplate: Strategy = {
  ...UNCONDITIONAL,
  allowsCreateOnUpdate: true,
  defaults: object => mapAt(object, ['template', 'spec'], podSpecDefaults),
  validate: object => podSpecErrors(objectAt(object, 'template', 'spec'), 'template.spec'),
}

const JOB_RESTARTS = ['OnFailure', 'Never']

function jobSpecDefaults(spec: JsonObject): JsonObject {
  const single = spec.completions === undefined && spec.parallelism === undefined ? { completions: 1 } : {}
  const filled = fill(spec, {
    ...single,
    parallelism: 1,
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    manualSelector: false,
    podReplacementPolicy: 'TerminatingOrFailed',
    suspend: false,
  })
  return mapAt(filled, ['template', 'spec'], podSpecDefaults)
}

export const job: Strategy = {
  ...UNCONDITIONAL,
  ...statusDoor({}),
  defaults: object => mapAt(object, ['spec'], jobSpecDefaults),
  validate: (object, old) => {
    const spec = objectAt(object, 'spec')
    const errors = [
      ...notNegative(
        'spec',
        spec,
        'completions',
        'parallelism',
        'backoffLimit',
        'activeDeadlineSeconds',
        'ttlSecondsAfterFinished',
      ),
      ...templateErrors(object, JOB_RESTARTS),
    ]
    if (!old) return errors
    const before = objectAt(old, 'spec')
    return [
      ...errors,
      ...immutable('spec.completions', spec.completions, before.completions),
      ...immutable('spec.selector', spec.selector, before.selector),
      ...immutable('spec.completionMode', spec.completionMode, before.completionMode),
      ...(spec.suspend === true || before.suspend === true
        ? []
        : immutable('spec.template', spec.template, before.template)),
    ]
  },
}

export const cronJob: Strategy = {
  ...UNCONDITIONAL,
  ...statusDoor({}),
  defaults: object => mapAt(object, ['spec', 'jobTemplate', 'spec', 'template', 'spec'], podSpecDefaults),
  validate: object => {
    const spec = objectAt(object, 'spec')
    const schedule = stringAt(spec, 'schedule')
    const path = 'spec.jobTemplate.spec.template.spec'
    return [
      ...(schedule === '' ? [required('spec.schedule')] : scheduleErrors(schedule)),
      ...notNegative(
        'spec',
        spec,
        'startingDeadlineSeconds',
        'successfulJobsHistoryLimit',
        'failedJobsHistoryLimit',
      ),
      ...podSpecErrors(objectAt(spec, 'jobTemplate', 'spec', 'template', 'spec'), path, JOB_RESTARTS),
    ]
  },
}

function scheduleErrors(schedule: string): FieldError[] {
  if (/^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every\s+\S+)$/.test(schedule)) return []
  const fields = schedule.trim().split(/\s+/)
  return fields.length === 5
    ? []
    : [
        invalid(
          'spec.schedule',
          schedule,
          `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`,
        ),
      ]
}

export const controllerRevision: Strategy = {
  ...UNCONDITIONAL,
  withoutGeneration: true,
  validate: (object, old) => [
    ...notNegative('', object, 'revision'),
    ...(old ? immutable('data', object.data, old.data) : []),
  ],
}

export const autoscaler: Strategy = {
  ...UNCONDITIONAL,
  ...statusDoor({ currentMetrics: null, desiredReplicas: 0 }),
  withoutGeneration: true,
  defaults: object =>
    mapAt(object, ['spec'], spec =>
      fill(spec, {
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
          },
        ],
      }),
    ),
  validate: object => {
    const spec = objectAt(object, 'spec')
    const [minimum, maximum] = [Number(spec.minReplicas ?? 1), Number(spec.maxReplicas ?? 0)]
    const errors: FieldError[] = []
    if (minimum < 1) errors.push(invalid('spec.minReplicas', minimum, 'must be greater than or equal to 1'))
    if (maximum < 1) errors.push(required('spec.maxReplicas', 'must be set and greater than 0'))
    if (maximum < minimum) {
      errors.push(invalid('spec.maxReplicas', maximum, 'must be greater than or equal to `minReplicas`'))
    }
    for (const key of ['kind', 'name']) {
      if (stringAt(spec, 'scaleTargetRef', key) === '')
        errors.push(required(child('spec.scaleTargetRef', key)))
    }
    if (stringAt(spec, 'scaleTargetRef', 'apiVersion') === '') {
      errors.push(invalid('spec.scaleTargetRef.apiVersion', '', 'apiVersion must specify API group'))
    }
    return errors
  },
}

/** The form in which the server shows a whole budget. */
const internalBudget = (spec: JsonObject): JsonObject => ({
  MinAvailable: spec.minAvailable ?? null,
  Selector: spec.selector ?? null,
  MaxUnavailable: spec.maxUnavailable ?? null,
  UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
})

export const disruptionBudget: Strategy = {
  ...statusDoor({ currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 }),
  validate: object => {
    const spec = objectAt(object, 'spec')
    return spec.minAvailable !== undefined && spec.maxUnavailable !== undefined
      ? [invalid('spec', internalBudget(spec), 'minAvailable and maxUnavailable cannot be both set')]
      : []
  },
}
