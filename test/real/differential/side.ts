import { setTimeout as sleep } from 'node:timers/promises'
import { PATIENCE_MS } from '../../patience.js'
import type { ApiClient, ApiObject } from '../api-client.js'

/** How often an object is looked at that is on its way out, milliseconds. */
const LOOK_MS = 50

/** One Karmada and its members, real or embedded; both are reached by the same client. */
export interface Side {
  readonly name: string
  readonly control: ApiClient
  /** By the name of the Cluster, which is the same on both sides. */
  readonly members: ReadonlyMap<string, ApiClient>
}

/** The path of a type in a namespace. `type` is `<group/version or version>/<resource>`, such as `apps/v1/deployments`. */
export function pathOf(type: string, namespace?: string): string {
  const parts = type.split('/')
  const resource = parts.pop()
  const prefix = parts.length > 1 ? `/apis/${parts.join('/')}` : `/api/${parts[0]}`
  return namespace === undefined ? `${prefix}/${resource}` : `${prefix}/namespaces/${namespace}/${resource}`
}

/** @returns the items, or none where the namespace or the type is not there (yet) */
export async function itemsOf(
  client: ApiClient,
  type: string,
  namespace?: string,
): Promise<readonly ApiObject[]> {
  const { status, body } = await client.send('GET', pathOf(type, namespace))
  if (status === 404) return []
  if (status !== 200) throw new Error(`GET ${pathOf(type, namespace)}: ${status} ${JSON.stringify(body)}`)
  return (body as { items: ApiObject[] }).items
}

/**
 * Creates an object, or replaces the part of it that `part` names. One that is on its way out is waited for, as what is written to it is
 * lost with it: Karmada lets go of a policy when it gets to it, and nothing that is compared shows when that is.
 */
export async function put(
  { control }: Side,
  type: string,
  namespace: string | undefined,
  object: ApiObject,
  part: 'spec' | 'data' | 'rules',
): Promise<void> {
  const path = pathOf(type, namespace)
  const place = `${path}/${object.metadata.name}`
  for (const deadline = performance.now() + PATIENCE_MS; ; await sleep(LOOK_MS)) {
    const created = await control.send('POST', path, object)
    if (created.status === 201) return
    if (created.status !== 409)
      throw new Error(`POST ${path}: ${created.status} ${JSON.stringify(created.body)}`)
    if (!(await isLeaving(control, place))) break
    if (performance.now() > deadline) throw new Error(`gave up waiting for ${place} to go`)
  }
  const patched = await control.send(
    'PATCH',
    place,
    [{ op: 'replace', path: `/${part}`, value: object[part] }],
    {
      'content-type': 'application/json-patch+json',
    },
  )
  if (patched.status !== 200)
    throw new Error(`PATCH ${place}: ${patched.status} ${JSON.stringify(patched.body)}`)
}

async function isLeaving(control: ApiClient, place: string): Promise<boolean> {
  const { status, body } = await control.send('GET', place)
  return status === 404 || (body as Partial<ApiObject>).metadata?.deletionTimestamp !== undefined
}

/** Deletes an object if it is there. */
export async function drop(
  { control }: Side,
  type: string,
  namespace: string | undefined,
  name: string,
): Promise<void> {
  const { status, body } = await control.send('DELETE', `${pathOf(type, namespace)}/${name}`)
  if (status !== 200 && status !== 202 && status !== 404)
    throw new Error(`DELETE ${type} ${name}: ${status} ${JSON.stringify(body)}`)
}
