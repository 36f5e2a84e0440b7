/**
 * The outcomes of some work for each item, in the order of the items, with at most `most` under way. The first failure ends it: no
 * further one is begun.
 */
export async function someAtOnce<T, R>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const outcomes: R[] = []
  let next = 0
  let hasFailed = false
  const worker = async (): Promise<void> => {
    while (next < items.length && !hasFailed) {
      const index = next
      next += 1
      try {
        outcomes[index] = await work(items[index] as T)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker))
  return outcomes
}
