import type { KubeObject } from '../../../manifests/kube.js'
import type { Call } from '../../call/call.js'
import type { ListQuery } from '../../objects/list-query.js'
import { afterFirstItem } from '../concurrency/after-first-item.js'
import type { KindHandlers, ListMessage } from './kind-handlers.js'
import { inCluster, type WatchFields } from './request-fields.js'

/** One step of a watch rpc, with the object in a field that is named after its kind. */
type Change<Field extends string, M> = Omit<ListMessage<M>, 'message'> & { readonly [K in Field]?: M }

/**
 * The handler of a kind's watch rpc: the list as it is followed, each object in the field of its own name. What refuses the
 * list refuses the call. An empty `cluster` of the request is the control plane.
 * @param more conditions that the request has beyond those of every list; `matches`: the one that depends on the extra
 */
export const watchKind =
  <T extends KubeObject, M, E, Field extends string>(
    of: Pick<KindHandlers<T, M, E>, 'watch'>,
    field: Field,
  ) =>
  (
    request: WatchFields,
    call: Call,
    more?: Partial<ListQuery<T>>,
    matches?: (object: T, extra: E) => boolean,
  ): Promise<AsyncIterable<Change<Field, M>>> => {
    async function* changes() {
      for await (const { message, ...change } of of.watch(inCluster(request), call, more, matches))
        yield { ...change, ...(message && { [field]: message }) } as Change<Field, M>
    }
    return afterFirstItem(changes())
  }
