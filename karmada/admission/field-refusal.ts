/** Refusals of fields as Karmada's webhooks word them (`field.Error` of Kubernetes). */

/** @param value what is refused, as Go writes it into the message */
export const invalidField = (path: string, value: unknown, detail: string): string =>
  `${path}: Invalid value: ${goJson(value)}: ${detail}`

export const notSupportedField = (path: string, value: unknown, supported: readonly string[]): string =>
  `${path}: Unsupported value: ${goJson(value)}: supported values: ${supported.map(one => JSON.stringify(one)).join(', ')}`

export const requiredField = (path: string, detail: string): string =>
  `${path}: Required value${detail && `: ${detail}`}`
export const forbiddenField = (path: string, detail: string): string => `${path}: Forbidden: ${detail}`
export const duplicateField = (path: string, value: unknown): string =>
  `${path}: Duplicate value: ${goJson(value)}`

/** Several refusals in one line, each text once (`ErrorList.ToAggregate`); undefined where there are none. */
export function refusalOf(refusals: readonly string[]): string | undefined {
  const once = [...new Set(refusals)]
  if (once.length < 2) return once[0]
  return `[${once.join(', ')}]`
}

/** The order of fields in Karmada's Go types; keys of maps, which Go sorts, come after them. */
const ORDER = [
  ...['clusterAffinity', 'clusterAffinities', 'clusterTolerations', 'spreadConstraints', 'replicaScheduling'],
  ...['workloadAffinity', 'affinityName', 'labelSelector', 'fieldSelector', 'clusterNames', 'exclude'],
  ...['overflowAffinities', 'matchLabels', 'matchExpressions', 'spreadByField', 'spreadByLabel', 'maxGroups'],
  ...['minGroups', 'replicaSchedulingType', 'replicaDivisionPreference', 'weightPreference'],
  ...['staticWeightList', 'dynamicWeight', 'targetCluster', 'weight', 'dispatching', 'dispatchingOnClusters'],
  ...['plaintext', 'imageOverrider', 'commandOverrider', 'argsOverrider', 'labelsOverrider'],
  ...['annotationsOverrider', 'fieldOverrider', 'predicate', 'component', 'containerName', 'path'],
  ...['fieldPath', 'json', 'yaml', 'subPath', 'key', 'operator', 'value', 'values', 'effect'],
  ...['tolerationSeconds', 'affinity', 'antiAffinity', 'groupByLabelKey'],
]
const RANK = new Map(ORDER.map((key, at) => [key, at]))
/** Numbers that Go leaves out when they are zero. */
const OMITTED_ZEROS = new Set(['maxGroups', 'minGroups'])

/** JSON as Go writes Karmada's types: fields in their order, empty lists left out, `<`, `>` and `&` escaped. */
function goJson(value: unknown): string {
  const text = JSON.stringify(ordered(value)) ?? 'null'
  return text.replace(/[<>&]/g, one => `\\u00${one.charCodeAt(0).toString(16)}`)
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  const rank = (key: string) => RANK.get(key) ?? ORDER.length
  const entries = Object.entries(value)
    .filter(
      ([key, one]) => !(Array.isArray(one) && one.length === 0) && !(one === 0 && OMITTED_ZEROS.has(key)),
    )
    .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, one]) => [key, ordered(one)]))
}
