import type { KubeList, KubeObject } from '../../../manifests/kube.js'
import { isExpired } from '../../../manifests/status-error.js'
import { badGateway } from '../../errors/failure.js'
import { NOT_THE_INDEX } from '../list/chunk.js'
import type { Listing } from '../list/listing.js'
import { selects } from '../list/select.js'
import { apiVersionOf, collectionPath } from '../object-type.js'
import type { ObjectEvent } from '../objects.js'
import { changesSince, pauseAfter, pauseFor, SHORTEST_MS } from './changes-since.js'

/**
 * What changes in a list from now on, of any length: nothing of it is read or kept, so a stream takes the memory of one event. RESET and BOOKMARK
 * come first, and again where the instance no longer knew the changes since.
 * @throws what refuses the list or the watch; after several attempts that did not work the last failure; the reason of the call's signal
 */
export async function* changesFromNow<T extends KubeObject>(
  listing: Listing<T>,
): AsyncGenerator<ObjectEvent<T>, void> {
  const { requests, call, type, query } = listing
  const { parts, pause = pauseFor } = requests.options
  const head = { apiVersion: apiVersionOf(type), kind: type.kind }
  const matches = selects(query)
  for (let expired = 0; ; ) {
    const version = await versionOf(listing)
    yield { type: 'RESET', total: 0 }
    yield { type: 'BOOKMARK', total: 0 }
    const begun = parts.now()
    try {
      for await (const { type: change, object: found } of changesSince(listing, version)) {
        if (change === 'BOOKMARK') continue
        const object = { ...head, ...found } as T
        if (matches(object)) yield { type: change, object, total: 0 }
      }
    } catch (error) {
      if (!isExpired(error)) throw error
    }
    // One that forgets at once would be asked again and again.
    expired = parts.now() - begun < SHORTEST_MS ? expired + 1 : 0
    if (expired > 0) await pause(pauseAfter(expired), call)
  }
}

/** The version of the list as it is now, which a page of one object has as well. It does not depend on labels, by which the instance would search. */
async function versionOf<T extends KubeObject>({
  requests,
  call,
  place,
  type,
  query,
}: Listing<T>): Promise<string> {
  const path = collectionPath(place, type, query.namespace)
  const request = { method: 'GET', path, query: { limit: 1, fieldSelector: query.fieldSelector } } as const
  const list = (await requests.json(call, place.instance, request, NOT_THE_INDEX)) as Partial<KubeList<T>>
  const version = list?.metadata?.resourceVersion
  // A watch without one would begin with all objects.
  if (!version || version === '0')
    throw badGateway(`the instance answered with what is no list of ${type.resource}`)
  return version
}
