import type { MessageInitShape } from '@bufbuild/protobuf'
import type { KubeObject } from '../../../manifests/kube.js'
import type { FleetObjectSchema, FleetSourceSchema } from '../../../proto/gen/kairship/fleet_pb.js'
import type { AnsweredFrom } from '../../call/answered-from.js'
import type { Place } from '../../objects/object-type.js'
import { dataOf } from '../kind/kind-handlers.js'
import { objectMeta, text } from '../kind/object-meta.js'
import { readable } from '../propagation/work.js'

/** An object of a place as the API shows it. */
export type FleetItem = MessageInitShape<typeof FleetObjectSchema>

/**
 * Makes the item of an object.
 * @param withData whether it has more than the object's metadata
 * @throws TypeError for what is no object of Kubernetes
 */
export function itemOf(object: KubeObject, place: Place, from: AnsweredFrom, withData: boolean): FleetItem {
  const shown = readable(object)
  const [apiVersion, kind] = [text(object.apiVersion), text(object.kind)]
  return {
    ...{ instance: place.instance, cluster: place.cluster ?? '', apiVersion, kind },
    metadata: objectMeta(shown, place),
    source: sourceOf(from),
    data: withData ? dataOf(shown).data : '',
  }
}

export const sourceOf = ({
  source,
  reason,
  lagMs,
}: AnsweredFrom): MessageInitShape<typeof FleetSourceSchema> => ({
  ...{ source, reason },
  ...(lagMs !== undefined && { lagMs: BigInt(Math.round(lagMs)) }),
})
