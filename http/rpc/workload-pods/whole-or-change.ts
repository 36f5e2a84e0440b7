import type { KubeObject } from '../../../manifests/kube.js'
import type { ObjectEvent } from '../../objects/objects.js'

/** A step of a followed list: all that it has, or one object that is there, or is not any more. */
export type WholeOrChange<T> =
  | { readonly whole: readonly T[] }
  | { readonly object: T; readonly isGone: boolean }

/** A followed list: the first step is the whole of it, and so is each that starts over. */
export async function* wholeOrChanges<T extends KubeObject>(
  events: AsyncIterable<ObjectEvent<T>>,
): AsyncGenerator<WholeOrChange<T>, void> {
  let gathered: T[] | undefined
  for await (const event of events) {
    if (!('object' in event)) {
      if (event.type === 'BOOKMARK' && gathered) yield { whole: gathered }
      gathered = event.type === 'RESET' ? [] : undefined
    } else if (gathered) gathered.push(event.object)
    else yield { object: event.object, isGone: event.type === 'DELETED' || event.type === 'LEFT' }
  }
}
