import type { GroupVersionResource } from '../../../manifests/kube.js'
import { type FieldViolation, invalidFields } from '../../errors/failure.js'
import type { ObjectType, Place } from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { definitions } from '../apiextensions/definition.js'
import { daemonSets } from '../apps/daemon-set.js'
import { deployments } from '../apps/deployment.js'
import { statefulSets } from '../apps/stateful-set.js'
import { cronJobs } from '../batch/cron-job.js'
import { jobs } from '../batch/job.js'
import { configMaps } from '../core/config-map.js'
import { events } from '../core/event.js'
import { namespaces } from '../core/namespace.js'
import { pods } from '../core/pod.js'
import { services } from '../core/service.js'
import { CLUSTER, CLUSTER_RESOURCE_BINDING, RESOURCE_BINDING } from '../kind/object-types.js'
import { ingresses } from '../networking/ingress.js'

/** Types that are the same everywhere: their kind and scope need not be asked for. */
const KNOWN: readonly ObjectType[] = [
  ...[configMaps, events, namespaces, pods, services, deployments, statefulSets, daemonSets].map(
    ({ type }) => type,
  ),
  ...[jobs, cronJobs, ingresses, definitions].map(({ type }) => type),
  ...[CLUSTER, RESOURCE_BINDING, CLUSTER_RESOURCE_BINDING],
]

/** Names as an API server has them: all three become parts of a path. */
const FORMS: Readonly<Record<keyof GroupVersionResource, RegExp>> = {
  group: /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$/,
  version: /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
  resource: /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
}

/** @throws Failure INVALID_ARGUMENT for what is no type, and for Secrets, whose values only what names one Secret may read */
export function checkType(wanted: GroupVersionResource): void {
  const violations = Object.entries(FORMS).flatMap(([field, form]): FieldViolation[] => {
    const value = wanted[field as keyof GroupVersionResource]
    if (form.test(value) && value.length <= 253) return []
    return [{ field, description: `is ${JSON.stringify(value)}, which is no ${field} of an API` }]
  })
  if (wanted.group === '' && wanted.resource === 'secrets')
    violations.push({ field: 'resource', description: 'is secrets: use ListSecrets of each instance' })
  if (violations.length > 0) throw invalidFields(violations)
}

/** The type in one place, by its discovery where types may differ. @throws Failure INVALID_ARGUMENT for what is not served there */
export async function typeIn(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  { group, version, resource }: GroupVersionResource,
): Promise<ObjectType> {
  const known = KNOWN.find(one => one.group === group && one.version === version && one.resource === resource)
  return known ?? objects.typeOfResource(call, place, { group, version, resource })
}
