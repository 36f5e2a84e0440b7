import type { GroupVersionResource } from '../../../manifests/kube.js'
import { isForbidden, isNotFound } from '../../../manifests/status-error.js'
import { type FieldViolation, failedPrecondition, invalidFields } from '../../errors/failure.js'
import type { ObjectType, Place } from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { nameOf } from '../../objects/requests/type-of.js'
import { sideCall } from '../../objects/side-call.js'
import { type Definition, definitions, hasCondition } from './definition.js'

/**
 * Finds the type that a request names, which must be one that a CustomResourceDefinition defines. A caller who may not read
 * definitions, which have no namespace, is not kept from the resources of their own namespaces: for them the place's
 * discovery says what the type is, and groups that are known to have no definitions are refused here.
 * @throws Failure INVALID_ARGUMENT for what is no custom resource there, with the field that is wrong; FAILED_PRECONDITION while
 * its definition is not established
 */
export async function customType(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  wanted: GroupVersionResource,
): Promise<ObjectType> {
  refuseOthers(wanted)
  const { group, resource } = wanted
  const name = `${resource}.${group}`
  let definition: Definition
  try {
    definition = await objects.get<Definition>(sideCall(call), place, definitions.type, { name })
  } catch (error) {
    if (isForbidden(error)) return objects.typeOfResource(sideCall(call), place, wanted)
    if (!isNotFound(error)) throw error
    throw invalidFields([
      {
        field: 'resource',
        description: `is ${JSON.stringify(resource)}, but ${nameOf(place)} has no CustomResourceDefinition ${name}`,
      },
    ])
  }
  return typeDefined(definition, place, wanted)
}

/** The type that a definition makes of one of its versions. @throws Failure as above */
export function typeDefined(
  definition: Definition,
  place: Place,
  { group, version, resource }: GroupVersionResource,
): ObjectType {
  const { names, scope, versions } = definition.spec
  const served = versions.filter(one => one.served).map(one => one.name)
  const which = `CustomResourceDefinition ${definition.metadata.name} of ${nameOf(place)}`
  if (!served.includes(version))
    throw invalidFields([
      {
        field: 'version',
        description: `is ${JSON.stringify(version)}, but ${which} serves ${served.join(', ') || 'none'}`,
      },
    ])
  if (!hasCondition(definition, 'Established')) {
    const why = (definition.status?.conditions ?? [])
      .filter(({ status, message }) => status !== 'True' && message)
      .map(({ message }) => `: ${message}`)
      .join('')
    throw failedPrecondition(`${which} is not established yet${why}`, { reason: 'NotEstablished' })
  }
  return { group, version, resource, kind: names.kind, namespaced: scope === 'Namespaced' }
}

/** Kubernetes' own groups with a dot. No group without a dot is that of a definition: API servers refuse such. */
const OWN_GROUPS: ReadonlySet<string> = new Set(
  [
    ...['admissionregistration', 'apiextensions', 'apiregistration', 'authentication', 'authorization'],
    ...['certificates', 'coordination', 'discovery', 'events', 'flowcontrol.apiserver', 'internal.apiserver'],
    ...['networking', 'node', 'rbac.authorization', 'resource', 'scheduling', 'storage', 'storagemigration'],
  ].map(group => `${group}.k8s.io`),
)
/** Groups that aggregated API servers serve in a control plane of Karmada or in a member. */
const AGGREGATED_GROUPS: ReadonlySet<string> = new Set([
  ...['cluster.karmada.io', 'metrics.k8s.io', 'custom.metrics.k8s.io', 'external.metrics.k8s.io'],
])

/** Names as the API server has them: all three become parts of a path. */
const FORMS: Readonly<Record<keyof GroupVersionResource, RegExp>> = {
  group: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  version: /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
  resource: /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
}

function refuseOthers(wanted: GroupVersionResource): void {
  const { group } = wanted
  const violations = Object.entries(FORMS).flatMap(([field, form]): FieldViolation[] => {
    const value = wanted[field as keyof GroupVersionResource]
    if (form.test(value) && value.length <= 253) return []
    return [{ field, description: `is ${JSON.stringify(value)}, which is no ${field} of an API` }]
  })
  if (violations.length > 0) throw invalidFields(violations)
  const which =
    !group.includes('.') || OWN_GROUPS.has(group)
      ? 'is Kubernetes’ own'
      : AGGREGATED_GROUPS.has(group)
        ? 'is that of an aggregated API server'
        : undefined
  if (!which) return
  const description = `is ${JSON.stringify(group)}, which ${which} and has no custom resources: use the service of its kind, or the proxy`
  throw invalidFields([{ field: 'group', description }])
}
