import { timeText } from './time-text.js'

/** Fields of proto3 JSON that are int64, and so strings, where Kubernetes has numbers. */
const COUNTERS = new Set(['generation', 'observedGeneration'])

/** Fields of proto3 JSON that hold milliseconds since 1970, where Kubernetes has RFC 3339; 0 says that there is none. */
const TIMES = new Set(['creationTimestamp', 'deletionTimestamp'])

/**
 * An Instance of the management API as the Kubernetes object that it stands for: with apiVersion and kind, times in RFC 3339,
 * counters as numbers, and without the defaults that proto3 JSON spells out. Fields this program does not know are kept.
 */
export const instanceObject = (message: unknown): Record<string, unknown> =>
  kubernetesObject(message, { apiVersion: 'kairship.io/v1alpha1', kind: 'Instance' })

/** The same of a message that stands for an object of another type. */
export function kubernetesObject(
  message: unknown,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): Record<string, unknown> {
  const { metadata, spec, status, ...further } = message as Record<string, unknown>
  return {
    apiVersion,
    kind,
    metadata: withoutDefaults(kubernetesFields(metadata)),
    ...(spec !== undefined && spec !== null && { spec: withoutDefaults(spec) }),
    // Counters that are 0 say something here.
    ...(status !== undefined && status !== null && { status: kubernetesFields(status) }),
    ...further,
  }
}

/** Several objects as kubectl prints them. */
export const instanceListObject = (items: readonly unknown[]): Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'List',
  metadata: {},
  items: items.map(instanceObject),
})

function kubernetesFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(kubernetesFields)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
    if (COUNTERS.has(key) && typeof item === 'string') return [[key, Number(item)]]
    if (!TIMES.has(key)) return [[key, kubernetesFields(item)]]
    const time = Number(item)
    // Seconds, as metav1.Time has them.
    return time > 0 ? [[key, timeText(time)]] : []
  })
  return Object.fromEntries(entries)
}

function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]) => [key, withoutDefaults(item)] as const)
  return Object.fromEntries(entries.filter(([, item]) => !isDefault(item)))
}

function isDefault(value: unknown): boolean {
  if (value === '' || value === null || value === undefined) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
