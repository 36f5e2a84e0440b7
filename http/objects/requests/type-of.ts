import type { GroupVersionResource } from '../../../manifests/kube.js'
import { StatusError } from '../../../manifests/status-error.js'
import { invalidFields } from '../../errors/failure.js'
import { apiVersionOf, type ObjectType, type Place, prefixOf } from '../object-type.js'
import type { ObjectCall } from '../objects.js'
import { jsonOf } from './answer.js'
import type { ObjectRequests } from './object-requests.js'

/** meta/v1 APIResourceList, as far as it is read. */
interface ResourceList {
  readonly resources?: readonly {
    readonly name: string
    readonly kind: string
    readonly namespaced: boolean
  }[]
}

/**
 * Finds out from the discovery of an instance or a member which type a kind is.
 * @param apiVersion `apps/v1`, or `v1` for the core group
 * @throws Failure INVALID_ARGUMENT for what is not served there
 */
export async function typeOf(
  requests: ObjectRequests,
  call: ObjectCall,
  place: Place,
  apiVersion: string,
  kind: string,
): Promise<ObjectType> {
  const [, group = '', version = ''] = /^(?:([a-z0-9.-]+)\/)?([a-z0-9]+)$/.exec(apiVersion) ?? []
  if (version === '')
    throw invalidFields([
      {
        field: 'apiVersion',
        description: `is ${JSON.stringify(apiVersion)}: write group/version, or v1 for the core group`,
      },
    ])
  const resources = await resourcesOf(requests, call, place, { group, version })
  // Subresources have kinds, too.
  const found = resources?.find(one => one.kind === kind && !one.name.includes('/'))
  if (found) return { group, version, resource: found.name, kind, namespaced: found.namespaced }
  throw resources
    ? notServed('kind', place, `${kind} in ${apiVersion}`)
    : notServed('apiVersion', place, apiVersion)
}

/**
 * Finds out from the discovery of an instance or a member which type a resource is.
 * @throws Failure INVALID_ARGUMENT for what is not served there
 */
export async function typeOfResource(
  requests: ObjectRequests,
  call: ObjectCall,
  place: Place,
  { group, version, resource }: GroupVersionResource,
): Promise<ObjectType> {
  const resources = await resourcesOf(requests, call, place, { group, version })
  const found = resources?.find(({ name }) => name === resource)
  if (found) return { group, version, resource, kind: found.kind, namespaced: found.namespaced }
  const apiVersion = apiVersionOf({ group, version, resource })
  throw resources
    ? notServed('resource', place, `${resource} in ${apiVersion}`)
    : notServed('version', place, apiVersion)
}

/** The resources of a version; undefined where the version is not served. */
async function resourcesOf(
  requests: ObjectRequests,
  call: ObjectCall,
  place: Place,
  { group, version }: Omit<GroupVersionResource, 'resource'>,
): Promise<Required<ResourceList>['resources'] | undefined> {
  const path = prefixOf(place) + (group === '' ? `/api/${version}` : `/apis/${group}/${version}`)
  try {
    const answer = await requests.send(call, place.instance, { method: 'GET', path })
    return (jsonOf(answer) as ResourceList).resources ?? []
  } catch (error) {
    // An API server has no Status for a path that it does not know.
    if (error instanceof StatusError && error.status.code === 404) return undefined
    throw error
  }
}

const notServed = (field: string, place: Place, what: string) =>
  invalidFields([{ field, description: `${nameOf(place)} does not serve ${what}` }])

/** A place in words. */
export const nameOf = ({ instance, cluster }: Place): string =>
  cluster === undefined ? `instance ${instance}` : `member ${cluster} of ${instance}`
