/**
 * Waits for the first item, so that what refuses a stream refuses the call, and returns the whole. It is to be read or returned: either
 * closes the source, also when nothing was read.
 * @throws what the source throws before its first item
 */
export async function afterFirstItem<T>(source: AsyncIterable<T>): Promise<AsyncIterable<T>> {
  const iterator = source[Symbol.asyncIterator]()
  let first: IteratorResult<T> | undefined = await iterator.next()
  // No generator: one that is returned before its first step does not run, and would leave the source open.
  const whole: AsyncIterableIterator<T> = {
    [Symbol.asyncIterator]: () => whole,
    async next() {
      const step = first
      first = undefined
      return step ?? iterator.next()
    },
    async return() {
      first = undefined
      await iterator.return?.()
      return { done: true, value: undefined }
    },
  }
  return whole
}
