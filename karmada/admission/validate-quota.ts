import { addQuantities, formatQuantity, parseQuantity, ZERO } from '../../manifests/quantity.js'
import type { FederatedResourceQuota, Resources } from '../objects/federated-resource-quota.js'
import { invalidField, refusalOf } from './field-refusal.js'

/**
 * Why Karmada's webhook refuses a FederatedResourceQuota; undefined where it does not. The names of resources are not judged:
 * that follows a list of Kubernetes.
 */
export function quotaRefusal({ metadata, spec }: FederatedResourceQuota): string | undefined {
  const { overall = {}, staticAssignments = [] } = spec
  const { name } = metadata
  const assigned = (resource: string) =>
    staticAssignments.reduce((sum, { hard = {} }) => {
      const amount = hard[resource]
      return amount === undefined ? sum : addQuantities(sum, parseQuantity(amount))
    }, ZERO)
  return refusalOf([
    ...(name.length > 63 ? [invalidField('metadata.name', name, 'must be no more than 63 characters')] : []),
    ...negatives(overall, 'spec.overall'),
    ...staticAssignments.flatMap(({ hard = {} }, at) =>
      negatives(hard, `spec.staticAssignments[${at}].hard`),
    ),
    ...Object.entries(overall).flatMap(([resource, amount]) => {
      const whole = parseQuantity(amount)
      if (whole.nano >= assigned(resource).nano) return []
      return [
        invalidField(`spec.overall[${resource}]`, formatQuantity(whole), 'overall is less than assignments'),
      ]
    }),
    ...staticAssignments.flatMap(({ hard = {} }, at) =>
      Object.keys(hard)
        .filter(resource => !(resource in overall))
        .map(resource =>
          invalidField(
            `spec.staticAssignments[${at}].hard[${resource}]`,
            resource,
            'assignment resourceName is not exist in overall',
          ),
        ),
    ),
  ])
}

const negatives = (resources: Resources, path: string): readonly string[] =>
  Object.entries(resources).flatMap(([resource, amount]) => {
    const quantity = parseQuantity(amount)
    if (quantity.nano >= 0n) return []
    return [
      invalidField(`${path}[${resource}]`, formatQuantity(quantity), 'must be greater than or equal to 0'),
    ]
  })
