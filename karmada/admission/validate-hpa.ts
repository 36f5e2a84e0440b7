import { dns1123Label, dns1123Subdomain, pathSegmentName } from '../../manifests/name-format.js'
import { parseQuantity } from '../../manifests/quantity.js'
import type { ScaleTarget } from '../autoscaling/cron-scaling.js'
import type { FederatedHpa } from '../autoscaling/federated-hpa.js'
import type { HpaSpec, MetricSpec, MetricTarget, ScalingRules } from '../autoscaling/hpa-spec.js'
import { forbiddenField, invalidField, notSupportedField, refusalOf, requiredField } from './field-refusal.js'

/** The longest period of a scaling policy, and the longest stabilization window, seconds. */
const [LONGEST_PERIOD, LONGEST_WINDOW] = [1_800, 3_600]

/** Why Karmada's webhook refuses a FederatedHPA; undefined where it does not. Its defaults are filled in already. */
export function federatedHpaRefusal({ metadata, spec }: FederatedHpa): string | undefined {
  const { minReplicas, maxReplicas, metrics = [] } = spec
  const maximum = (detail: string) => invalidField('spec.maxReplicas', maxReplicas, detail)
  return refusalOf([
    ...dns1123Subdomain(metadata.name).map(why => invalidField('metadata.name', metadata.name, why)),
    ...(minReplicas !== undefined && minReplicas < 1
      ? [invalidField('spec.minReplicas', minReplicas, 'must be greater than or equal to 1')]
      : []),
    ...(maxReplicas < 1 ? [maximum('must be greater than 0')] : []),
    ...(minReplicas !== undefined && maxReplicas < minReplicas
      ? [maximum('must be greater than or equal to `minReplicas`')]
      : []),
    ...targetRefusals(spec.scaleTargetRef, 'spec.scaleTargetRef'),
    ...metrics.flatMap((metric, at) => metricRefusals(metric, `spec.metrics[${at}]`)),
    ...behaviorRefusals(spec.behavior),
  ])
}

/** Why a reference to a workload is refused. */
export const targetRefusals = ({ kind = '', name = '' }: ScaleTarget, path: string): readonly string[] =>
  Object.entries({ kind, name }).flatMap(([field, value]) =>
    value === '' ? [requiredField(`${path}.${field}`, '')] : segment(`${path}.${field}`, value),
  )

const segment = (path: string, value: string): readonly string[] =>
  pathSegmentName(value).map(why => invalidField(path, value, why))

function behaviorRefusals(behavior: HpaSpec['behavior']): readonly string[] {
  const rules = (name: 'scaleUp' | 'scaleDown') => rulesRefusals(behavior?.[name], `spec.behavior.${name}`)
  return [...rules('scaleUp'), ...rules('scaleDown')]
}

function rulesRefusals(rules: ScalingRules | undefined, path: string): readonly string[] {
  if (!rules) return []
  const { stabilizationWindowSeconds: window = 0, selectPolicy, policies = [] } = rules
  const windowPath = `${path}.stabilizationWindowSeconds`
  const selects = ['Disabled', 'Max', 'Min']
  return [
    ...(window < 0 ? [invalidField(windowPath, window, 'must be greater than or equal to zero')] : []),
    ...(window > LONGEST_WINDOW
      ? [invalidField(windowPath, window, `must be less than or equal to ${LONGEST_WINDOW}`)]
      : []),
    ...(selectPolicy !== undefined && !selects.includes(selectPolicy)
      ? [notSupportedField(`${path}.selectPolicy`, selectPolicy, selects)]
      : []),
    ...(policies.length === 0 ? [requiredField(`${path}.policies`, 'must specify at least one Policy')] : []),
    ...policies.flatMap(({ type, value, periodSeconds }, at) => {
      const one = `${path}.policies[${at}]`
      const types = ['Percent', 'Pods']
      const period = `${one}.periodSeconds`
      return [
        ...(types.includes(type) ? [] : [notSupportedField(`${one}.type`, type, types)]),
        ...(value > 0 ? [] : [invalidField(`${one}.value`, value, 'must be greater than zero')]),
        ...(periodSeconds > 0 ? [] : [invalidField(period, periodSeconds, 'must be greater than zero')]),
        ...(periodSeconds > LONGEST_PERIOD
          ? [invalidField(period, periodSeconds, `must be less than or equal to ${LONGEST_PERIOD}`)]
          : []),
      ]
    }),
  ]
}

/** Each kind of metric, and the field that describes it; FederatedHPAs know no external ones. */
const SOURCES: Readonly<Record<string, 'object' | 'pods' | 'resource' | 'containerResource'>> = {
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
  ContainerResource: 'containerResource',
}

function metricRefusals(metric: MetricSpec, path: string): readonly string[] {
  const { type } = metric
  const types = Object.keys(SOURCES).sort()
  const expected = SOURCES[type]
  const present = Object.values(SOURCES).filter(field => metric[field] !== undefined)
  const [first] = present
  const unknown = expected ? [] : [notSupportedField(`${path}.type`, type, types)]
  const populate = 'must populate information for the given metric source'
  return [
    ...(type === '' ? [requiredField(`${path}.type`, 'must specify a metric source type')] : []),
    ...unknown,
    ...(first ? sourceRefusals(metric, first, `${path}.${first}`) : []),
    ...(expected && metric[expected] === undefined ? [requiredField(`${path}.${expected}`, populate)] : []),
    ...(present.length === 1
      ? []
      : present
          .filter(field => field !== expected)
          .map(field => forbiddenField(`${path}.${field}`, 'must populate the given metric source only'))),
  ]
}

function sourceRefusals(
  { object, pods, resource, containerResource }: MetricSpec,
  field: string,
  path: string,
): readonly string[] {
  const average = `${path}.target.averageValue`
  if (field === 'object' && object) {
    const { value, averageValue } = object.target
    const isSet = value !== undefined || averageValue !== undefined
    return [
      ...targetRefusals(object.describedObject, `${path}.describedObject`),
      ...metricNameRefusals(object.metric.name, `${path}.metric`),
      ...valueRefusals(object.target, `${path}.target`),
      ...(isSet ? [] : [requiredField(average, 'must set either a target value or averageValue')]),
    ]
  }
  if (field === 'pods' && pods)
    return [
      ...metricNameRefusals(pods.metric.name, `${path}.metric`),
      ...valueRefusals(pods.target, `${path}.target`),
      ...(pods.target.averageValue === undefined
        ? [requiredField(average, 'must specify a positive target averageValue')]
        : []),
    ]
  const source = resource ?? containerResource
  if (!source) return []
  const { name, target } = source
  const container = field === 'containerResource' ? (containerResource?.container ?? '') : undefined
  const both = target.averageUtilization !== undefined && target.averageValue !== undefined
  const none = target.averageUtilization === undefined && target.averageValue === undefined
  return [
    ...(name === '' ? [requiredField(`${path}.name`, 'must specify a resource name')] : []),
    ...(container === '' ? [requiredField(`${path}.container`, 'must specify a container')] : []),
    ...(container
      ? dns1123Label(container).map(why => invalidField(`${path}.container`, container, why))
      : []),
    ...valueRefusals(target, `${path}.target`),
    ...(none
      ? [
          requiredField(
            `${path}.target.averageUtilization`,
            'must set either a target raw value or a target utilization',
          ),
        ]
      : []),
    ...(both
      ? [forbiddenField(average, 'may not set both a target raw value and a target utilization')]
      : []),
  ]
}

const metricNameRefusals = (name: string, path: string): readonly string[] =>
  name === '' ? [requiredField(`${path}.name`, 'must specify a metric name')] : segment(`${path}.name`, name)

function valueRefusals(target: MetricTarget, path: string): readonly string[] {
  const { type, value, averageValue, averageUtilization } = target
  const isPositive = (quantity: string | undefined) =>
    quantity === undefined || parseQuantity(quantity).nano > 0n
  return [
    ...(type === '' ? [requiredField(`${path}.type`, 'must specify a metric target type')] : []),
    ...(['Utilization', 'Value', 'AverageValue'].includes(type)
      ? []
      : [invalidField(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue')]),
    ...(isPositive(value) ? [] : [invalidField(`${path}.value`, value, 'must be positive')]),
    ...(isPositive(averageValue)
      ? []
      : [invalidField(`${path}.averageValue`, averageValue, 'must be positive')]),
    ...(averageUtilization !== undefined && averageUtilization < 1
      ? [invalidField(`${path}.averageUtilization`, averageUtilization, 'must be greater than 0')]
      : []),
  ]
}
