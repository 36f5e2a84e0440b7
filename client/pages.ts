import { Code } from '../transcoding/code.js'
import { ApiError } from './errors.js'

/** How often a walk is restarted whose token has expired. */
const MOST_WALKS = 3

/** The fields of a request that ask for a page. */
export interface PageFields {
  readonly pageSize: number
  /** Empty for the first page. */
  readonly pageToken: string
}

/** What an answer with one page has. */
interface Paged<T> {
  readonly items: readonly T[]
  readonly pagination?: { readonly nextPageToken?: string | undefined } | null | undefined
}

/**
 * All items of a list, read page by page: each that is there all the while exactly once, whatever is created and deleted meanwhile. Where the
 * server cannot go on any more, the list is read from its beginning.
 * @param list one page: `page => client.listInstances({ name: 'a', ...page })`
 * @throws what `list` throws
 */
export async function allPages<T>(
  list: (page: PageFields) => Promise<Paged<T>>,
  pageSize = 500,
): Promise<readonly T[]> {
  for (let walk = 1; ; walk += 1) {
    const items: T[] = []
    let pageToken = ''
    try {
      do {
        const page = await list({ pageSize, pageToken })
        for (const item of page.items) items.push(item)
        pageToken = page.pagination?.nextPageToken ?? ''
      } while (pageToken !== '')
      return items
    } catch (error) {
      const hasExpired = pageToken !== '' && error instanceof ApiError && error.code === Code.OUT_OF_RANGE
      if (!hasExpired || walk >= MOST_WALKS) throw error
    }
  }
}
