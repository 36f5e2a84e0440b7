import { changesOf, type Message } from './changes.js'
import type { PageRequest, Source } from './source.js'

/** A List and a Watch of the API, and how their objects become rows. */
interface Rpcs<T, M extends Message, R> {
  readonly list: (
    page: PageRequest,
    options: { readonly signal: AbortSignal },
  ) => Promise<{
    readonly items: readonly T[]
    readonly pagination?: { readonly total: number } | undefined
  }>
  readonly watch: (resumeToken: string, options: { readonly signal: AbortSignal }) => AsyncIterable<M>
  readonly itemOf: (message: M) => T | undefined
  readonly rowOf: (item: T) => R
  readonly keyOf: (row: R) => string
}

/** A source that reads a List sorted by name and follows it by its Watch. */
export const rpcSource = <T, M extends Message, R>({
  list,
  watch,
  itemOf,
  rowOf,
  keyOf,
}: Rpcs<T, M, R>): Source<R> => ({
  async list(page, signal) {
    const { items, pagination } = await list(page, { signal })
    return { items: items.map(rowOf), total: pagination?.total ?? items.length }
  },
  watch: (resumeToken, signal) =>
    changesOf(watch(resumeToken, { signal }), message => {
      const item = itemOf(message)
      return item === undefined ? undefined : rowOf(item)
    }),
  keyOf,
  isStable: true,
})
