/**
 * Waits for the first item, so that what refuses a stream refuses the call, and returns the whole.
 * @throws what the source throws before its first item
 */
export async function afterFirstItem<T>(source: AsyncIterable<T>): Promise<AsyncIterable<T>> {
  const iterator = source[Symbol.asyncIterator]()
  const first = await iterator.next()
  return {
    async *[Symbol.asyncIterator]() {
      try {
        for (let step = first; !step.done; step = await iterator.next()) yield step.value
      } finally {
        await iterator.return?.()
      }
    },
  }
}
