import { dns1123Subdomain } from '../../manifests/name-format.js'
import type { CronFederatedHpa, CronRule } from '../autoscaling/cron-scaling.js'
import { isCron } from './cron-format.js'
import { duplicateField, invalidField, refusalOf } from './field-refusal.js'
import { targetRefusals } from './validate-hpa.js'

/** The API version and kind that a CronFederatedHPA scales by limits, and not by replicas. */
const [LIMITED_VERSION, LIMITED_KIND] = ['autoscaling.karmada.io/v1alpha1', 'FederatedHPA']

/** Why Karmada's webhook refuses a CronFederatedHPA; undefined where it does not. */
export function cronFederatedHpaRefusal({ metadata, spec }: CronFederatedHpa): string | undefined {
  const { apiVersion, kind } = spec.scaleTargetRef
  const isLimited = apiVersion === LIMITED_VERSION
  const names = dns1123Subdomain(metadata.name).map(why => invalidField('metadata.name', metadata.name, why))
  if (isLimited && kind !== LIMITED_KIND) {
    const why = `invalid scaleTargetRef kind: ${kind}, only support ${LIMITED_KIND}`
    return refusalOf([...names, invalidField('spec.scaleTargetRef.kind', kind, why)])
  }
  const rules = spec.rules.flatMap((rule, at) => {
    const path = `spec.rules[${at}]`
    const isTwice = spec.rules.slice(0, at).some(({ name }) => name === rule.name)
    return [
      ...(isTwice ? [duplicateField(`${path}.name`, rule.name)] : []),
      ...(isCron(rule.schedule)
        ? []
        : [invalidField(`${path}.schedule`, rule.schedule, 'invalid cron format')]),
      ...zoneRefusals(rule.timeZone, path),
      ...(isLimited ? limitRefusals(rule, path) : replicasRefusals(rule, kind, path)),
    ]
  })
  return refusalOf([...names, ...targetRefusals(spec.scaleTargetRef, 'spec.scaleTargetRef'), ...rules])
}

function zoneRefusals(timeZone: string | undefined, path: string): readonly string[] {
  if (timeZone === undefined || timeZone === '' || timeZone === 'Local') return []
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return []
  } catch {
    return [invalidField(`${path}.timeZone`, timeZone, `unknown time zone ${timeZone}`)]
  }
}

function limitRefusals({ targetMinReplicas: least, targetMaxReplicas: most }: CronRule, path: string) {
  const refusal = (field: string, why: string) => invalidField(`${path}.${field}`, '', why)
  const neither =
    'targetMinReplicas and targetMaxReplicas cannot be nil at the same time if you want to scale FederatedHPA'
  return [
    ...(least === undefined && most === undefined ? [refusal('targetMaxReplicas', neither)] : []),
    ...((least ?? 1) <= 0 ? [refusal('targetMinReplicas', 'targetMinReplicas should be larger than 0')] : []),
    ...((most ?? 1) <= 0 ? [refusal('targetMaxReplicas', 'targetMaxReplicas should be larger than 0')] : []),
    ...((least ?? 1) > (most ?? Number.POSITIVE_INFINITY)
      ? [
          refusal(
            'targetMinReplicas',
            'targetMaxReplicas should be larger than or equal to targetMinReplicas',
          ),
        ]
      : []),
  ]
}

function replicasRefusals({ targetReplicas }: CronRule, kind: string, path: string): readonly string[] {
  const refusal = (why: string) => [invalidField(`${path}.targetReplicas`, '', why)]
  if (targetReplicas === undefined)
    return refusal(`targetReplicas cannot be nil if you want to scale ${kind}`)
  return targetReplicas < 0 ? refusal('targetReplicas should be larger than or equal to 0') : []
}
