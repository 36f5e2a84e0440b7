import { isJsonObject } from '../../transcoding/json-object.js'
import type { KubeObject } from '../kube/object.js'

/** Metadata that only the server writes. */
const OWN = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'managedFields',
  'ownerReferences',
  'finalizers',
])

/** Matches labels and annotations that Karmada, kubectl and controllers write for themselves. */
const MARKS =
  /(^|[./])karmada\.io\/|^kubectl\.kubernetes\.io\/last-applied-configuration$|^deployment\.kubernetes\.io\/revision$|^deprecated\.daemonset\.template\.generation$/

/** Fields of a spec that each cluster assigns itself. */
const GIVEN: Readonly<Record<string, readonly string[]>> = {
  Service: ['clusterIP', 'clusterIPs', 'healthCheckNodePort'],
  Namespace: ['finalizers'],
}

/**
 * Normalises an object for a comparison: removes values that a server assigns, records or reports, and empty values, and sorts fields by name. So two
 * objects differ exactly where their authors specified something else.
 */
export function normalised(object: KubeObject): Record<string, unknown> {
  const { metadata, status: _, spec, ...rest } = object
  const shown = Object.fromEntries(
    Object.entries(metadata)
      .filter(([field]) => !OWN.has(field))
      .map(([field, value]) => [
        field,
        (field === 'labels' || field === 'annotations') && isJsonObject(value) ? unmarked(value) : value,
      ]),
  )
  return sorted({
    ...rest,
    metadata: shown,
    ...(spec !== undefined && { spec: withoutGiven(object.kind, spec) }),
  }) as Record<string, unknown>
}

const unmarked = (values: object): object =>
  Object.fromEntries(Object.entries(values).filter(([key]) => !MARKS.test(key)))

function withoutGiven(kind: string, spec: unknown): unknown {
  if (!isJsonObject(spec)) return spec
  const given = (Object.hasOwn(GIVEN, kind) ? GIVEN[kind] : undefined) ?? []
  const rest = Object.fromEntries(Object.entries(spec).filter(([field]) => !given.includes(field)))
  if (kind !== 'Service' || !Array.isArray(rest.ports)) return rest
  return {
    ...rest,
    ports: rest.ports.map(port => {
      if (!isJsonObject(port)) return port
      const { nodePort: _, ...others } = port
      return others
    }),
  }
}

/** Sorts fields by name and removes empty ones: for API servers an absent list or map and an empty one mean the same in a spec. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value)
    .map(([key, one]) => [key, sorted(one)] as const)
    .filter(([, one]) => !isEmpty(one))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries)
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.keys(value).length === 0)
