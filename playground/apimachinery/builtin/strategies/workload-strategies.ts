import { child, type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.js'
import { at, equal, isObject, type JsonObject, listAt, objectAt, stringAt, withAt } from '../../json.js'
import type { Strategy } from '../../resource-definition.js'
import { podSpecDefaults, templateErrors } from './pod-spec.js'
import { immutable, notNegative, selectorErrors } from './selector-rules.js'
import { fill, keepStatus, mapAt, statusSubresource } from './status-subresource.js'

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
  ...statusSubresource({}),
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
  ...statusSubresource({ replicas: 0 }),
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
  ...statusSubresource({ availableReplicas: 0, replicas: 0 }),
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
  ...statusSubresource({
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
  ...statusSubresource({ replicas: 0 }),
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
  ...statusSubresource({ currentMetrics: null, desiredReplicas: 0 }),
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
  ...statusSubresource({ currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 }),
  validate: object => {
    const spec = objectAt(object, 'spec')
    return spec.minAvailable !== undefined && spec.maxUnavailable !== undefined
      ? [invalid('spec', internalBudget(spec), 'minAvailable and maxUnavailable cannot be both set')]
      : []
  },
}
