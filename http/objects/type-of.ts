import { StatusError } from '../../manifests/status-error.js'
import { invalidFields } from '../failure.js'
import { jsonOf } from './answer.js'
import type { ObjectRequests } from './object-requests.js'
import type { ObjectType, Place } from './object-type.js'
import type { ObjectCall } from './objects.js'

/** meta/v1 APIResourceList, as far as it is read. */
interface ResourceList {
  readonly resources?: readonly {
    readonly name: string
    readonly kind: string
    readonly namespaced: boolean
  }[]
}

/**
 * Finds out from an instance's discovery which type a kind is.
 * @param apiVersion `apps/v1`, or `v1` for the core group
 * @throws Failure INVALID_ARGUMENT for what the instance does not serve
 */
export async function typeOf(
  requests: ObjectRequests,
  call: ObjectCall,
  { instance }: Place,
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
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const { resources = [] } = await requests
    .send(call, instance, { method: 'GET', path })
    .then(answer => jsonOf(answer) as ResourceList)
    .catch((error: unknown) => {
      // An API server has no Status for a path that it does not know.
      if (error instanceof StatusError && error.status.code === 404)
        throw notServed('apiVersion', instance, apiVersion)
      throw error
    })
  // Subresources have kinds, too.
  const found = resources.find(one => one.kind === kind && !one.name.includes('/'))
  if (!found) throw notServed('kind', instance, `${kind} in ${apiVersion}`)
  return { group, version, resource: found.name, kind, namespaced: found.namespaced }
}

const notServed = (field: string, instance: string, what: string) =>
  invalidFields([{ field, description: `instance ${instance} does not serve ${what}` }])
