interface Step {
  readonly type: string
  /** A reader who goes on has received it before. */
  readonly known?: true
}

/** What completes the messages of so many objects is read at once: as many as a page of kubectl has. */
const MOST = 500

/**
 * The steps of a list that is followed, without those that the reader knows: the objects of the list that it begins with together,
 * for they are all there, and every later step by itself.
 */
export async function* inBatches<S extends Step>(
  steps: AsyncIterable<S>,
): AsyncGenerator<readonly S[], void> {
  let batch: S[] = []
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
