import type { KubeApi } from './kube-api.js'
import { KubeError, NotServed } from './kube-error.js'
import { groupVersionOf, groupVersionPath, type ObjectType } from './object.js'

/** The most group versions whose types are cached, over all instances. */
const MOST_KNOWN = 64
const known = new Map<string, Promise<readonly ObjectType[]>>()

/** The type of a manifest. @throws NotServed */
export async function typeOf(api: KubeApi, apiVersion: string, kind: string): Promise<ObjectType> {
  const found = (await typesOf(api, apiVersion)).find(type => type.kind === kind)
  if (found) return found
  // A CustomResourceDefinition may have been created since.
  known.delete(keyOf(api, apiVersion))
  const again = (await typesOf(api, apiVersion)).find(type => type.kind === kind)
  if (again) return again
  throw new NotServed(api.instance, kind, apiVersion)
}

/** The type of a resource by its plural name. @throws NotServed */
export async function typeOfResource(
  api: KubeApi,
  apiVersion: string,
  resource: string,
): Promise<ObjectType> {
  const found = (await typesOf(api, apiVersion)).find(type => type.resource === resource)
  if (found) return found
  throw new NotServed(api.instance, resource, apiVersion)
}

/** The types of a group's version, from the cache where they were read. A failed read is not cached. */
function typesOf(api: KubeApi, apiVersion: string): Promise<readonly ObjectType[]> {
  const key = keyOf(api, apiVersion)
  const read = known.get(key) ?? readTypes(api, apiVersion)
  known.delete(key)
  known.set(key, read)
  const [oldest] = known.keys()
  if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest)
  read.catch(() => known.delete(key))
  return read
}

async function readTypes(api: KubeApi, apiVersion: string): Promise<readonly ObjectType[]> {
  const groupVersion = groupVersionOf(apiVersion)
  const { text } = await api.request('GET', groupVersionPath(groupVersion)).catch(error => {
    if (error instanceof KubeError && error.status === 404) throw new NotServed(api.instance, '', apiVersion)
    throw error
  })
  const { resources = [] } = JSON.parse(text) as {
    resources?: readonly { name: string; kind: string; namespaced: boolean }[]
  }
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, kind, namespaced }) => ({
      ...groupVersion,
      resource: name,
      kind,
      isNamespaced: namespaced,
    }))
}

const keyOf = ({ instance }: KubeApi, apiVersion: string): string => `${instance} ${apiVersion}`
