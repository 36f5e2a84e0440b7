import type { KubeObject } from '../../../manifests/kube.js'
import type { FollowedEvent } from './kind-handlers.js'

/** What completes the messages of so many objects is read at once: as many as a page of kubectl has. */
const MOST = 500

/**
 * The steps of a list that is followed, without those that the reader knows: the objects of the list that it begins with together,
 * for they are all there, and every later step by itself.
 */
export async function* inBatches<T extends KubeObject, E>(
  steps: AsyncIterable<FollowedEvent<T, E>>,
): AsyncGenerator<readonly FollowedEvent<T, E>[], void> {
  let batch: FollowedEvent<T, E>[] = []
  let isFirstList = false
  for await (const step of steps) {
    if (step.known && step.type !== 'BOOKMARK') continue
    const isListed = isFirstList && step.type === 'ADDED'
    if (isListed) batch.push(step)
    if (batch.length > 0 && (!isListed || batch.length === MOST)) {
      yield batch
      batch = []
    }
    if (!isListed) {
      isFirstList = step.type === 'RESET'
      yield [step]
    }
  }
  if (batch.length > 0) yield batch
}
