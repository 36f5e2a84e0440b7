import type { Cluster, ClusterSpec, Taint } from '../../../karmada/objects/cluster.js'
import type {
  Cluster as ClusterMessage,
  ClusterSpec as SpecMessage,
} from '../../../proto/gen/kairship/cluster_pb.js'
import {
  ClusterProvider,
  TaintEffect,
  type Taint as TaintMessage,
} from '../../../proto/gen/kairship/types_pb.js'
import { type FieldViolation, invalidFields } from '../../errors/failure.js'
import { providerOf } from '../distribution/distribution.js'
import { ANNOTATIONS, ROLES, zonesOf } from './cluster.js'

/** Karmada's taint of a cordoned member (`clusterv1alpha1.TaintClusterUnscheduler`). */
const UNSCHEDULABLE = 'cluster.karmada.io/unschedulable'

/** The Cluster that a request to join describes. What only the cluster itself knows is added later. */
export function newCluster(name: string, message: ClusterMessage | undefined): Cluster {
  const empty: Cluster = {
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name },
    spec: { syncMode: 'Push' },
  }
  return changedCluster(empty, message)
}

/**
 * A Cluster with what a request says of it: its metadata replaces labels and annotations, its spec replaces taints, provider,
 * region and zones. A message that is left out changes nothing, nor does an empty API endpoint.
 * @throws Failure INVALID_ARGUMENT with all that is wrong
 */
export function changedCluster(current: Cluster, message: ClusterMessage | undefined): Cluster {
  const { metadata, spec } = message ?? {}
  const { name } = current.metadata
  const violations = [
    ...(metadata?.name && metadata.name !== name
      ? [
          {
            field: 'cluster.metadata.name',
            description: `is ${JSON.stringify(metadata.name)}, but the path names ${name}`,
          },
        ]
      : []),
    ...(spec ? problemsOf(spec) : []),
  ]
  if (violations.length > 0) throw invalidFields(violations)
  const described = spec ? { ...current, spec: changedSpec(current.spec, spec) } : current
  const { labels, annotations } = metadata ?? current.metadata
  const kept = spec ? withoutOwn(annotations) : annotations
  const { resourceVersion } = metadata ?? {}
  return {
    ...described,
    metadata: {
      ...current.metadata,
      ...(resourceVersion && { resourceVersion }),
      labels: { ...labels },
      annotations: { ...kept, ...(spec ? annotationsOf(spec) : ownOf(current.metadata.annotations)) },
    },
  }
}

/** The Cluster as `karmadactl cordon` makes it; the same one where it is so already. */
export function cordoned(cluster: Cluster, isWanted: boolean, now: string): Cluster {
  const { taints = [] } = cluster.spec
  const others = taints.filter(({ key, effect }) => key !== UNSCHEDULABLE || effect !== 'NoSchedule')
  const isCordoned = others.length < taints.length
  if (isCordoned === isWanted) return cluster
  const taint: Taint = { key: UNSCHEDULABLE, effect: 'NoSchedule', timeAdded: now }
  return { ...cluster, spec: { ...cluster.spec, taints: isWanted ? [...others, taint] : others } }
}

function changedSpec(current: ClusterSpec, message: SpecMessage): ClusterSpec {
  const { provider: _provider, region: _region, zone: _zone, zones: _zones, taints = [], ...kept } = current
  const provider = providerName(current.provider, message)
  const zones = zonesGiven(current, message)
  return {
    ...kept,
    ...(message.apiEndpoint && { apiEndpoint: message.apiEndpoint }),
    ...(provider && { provider }),
    ...(message.region && { region: message.region }),
    ...(zones.length > 0 && { zones: [...zones] }),
    ...(message.taints.length > 0 && { taints: message.taints.map(taint => taintOf(taint, taints)) }),
  }
}

/** Who knows one zone only, and sends it as it was, keeps the others. */
function zonesGiven(current: ClusterSpec, { zone, zones }: SpecMessage): readonly string[] {
  if (zones.length > 0) return zones
  const before = zonesOf(current)
  return zone === '' || zone === before[0] ? (zone ? before : []) : [zone]
}

/** A provider that the contract has no value for is kept by a request that shows it as GENERIC. */
function providerName(current: string | undefined, { provider, providerName }: SpecMessage): string {
  if (providerName) return providerName
  if (providerOf(current) === provider) return current ?? ''
  return provider === ClusterProvider.GENERIC ? '' : (ClusterProvider[provider] ?? '')
}

/** A taint that was there keeps since when: Karmada counts tolerations from then. */
function taintOf({ key, value, effect }: TaintMessage, current: readonly Taint[]): Taint {
  const name = TaintEffect[effect] as Taint['effect']
  const before = current.find(taint => taint.key === key && taint.effect === name)
  return {
    key,
    ...(value && { value }),
    effect: name,
    ...(before?.timeAdded && { timeAdded: before.timeAdded }),
  }
}

/** What no API server would see: it is not sent as it was given. */
function problemsOf({ roles, taints, zone, zones }: SpecMessage): FieldViolation[] {
  const known: readonly string[] = ROLES
  return [
    ...roles.flatMap((role, index) =>
      known.includes(role)
        ? []
        : [
            {
              field: `cluster.spec.roles[${index}]`,
              description: `is ${JSON.stringify(role)}, but must be one of ${ROLES.join(', ')}`,
            },
          ],
    ),
    ...taints.flatMap(({ effect }, index) =>
      effect === TaintEffect.NoSchedule || effect === TaintEffect.NoExecute
        ? []
        : [
            {
              field: `cluster.spec.taints[${index}].effect`,
              description: 'must be NoSchedule or NoExecute: Karmada accepts no other effect of a cluster',
            },
          ],
    ),
    ...(zone && zones.length > 0 && zones[0] !== zone
      ? [
          {
            field: 'cluster.spec.zone',
            description: `is ${JSON.stringify(zone)}, but zones begins with ${JSON.stringify(zones[0])}`,
          },
        ]
      : []),
  ]
}

type Annotations = Readonly<Record<string, string>>
const OWN: ReadonlySet<string> = new Set(Object.values(ANNOTATIONS))

const withoutOwn = (annotations: Annotations = {}): Annotations =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => !OWN.has(key)))
const ownOf = (annotations: Annotations = {}): Annotations =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => OWN.has(key)))

const annotationsOf = ({ roles, managedBy, aliasName }: SpecMessage): Annotations => ({
  ...(roles.length > 0 && { [ANNOTATIONS.roles]: roles.join(',') }),
  ...(managedBy && { [ANNOTATIONS.managedBy]: managedBy }),
  ...(aliasName && { [ANNOTATIONS.aliasName]: aliasName }),
})
