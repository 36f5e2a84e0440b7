import { Agent, request } from 'undici'
import type { ApiBenchOptions } from './options.js'
import { API, CONFIG_MAPS, type Listed, middlePage, type Pages } from './pages.js'
import { compare, type Found, type Rounds } from './rounds.js'
import type { Serving } from './serving.js'

/** How long the instances may take until all are read from the index. */
const PATIENCE_MS = 600_000

/** Measures each page with each number of callers. */
export async function measurePages(
  pages: Pages,
  kairship: Serving,
  options: ApiBenchOptions,
  say: (line: string) => void,
): Promise<Found> {
  const { callers, matching } = options.fleet
  const found: Record<string, Readonly<Record<string, Rounds>>> = {}
  for (const [page, ways] of Object.entries(pages).filter(([name]) => name.includes(matching)))
    for (const connections of callers) {
      const what = `${page}, ${connections} ${connections === 1 ? 'caller' : 'callers'}`
      say(what)
      found[what] = await compare(ways, kairship, { ...options, connections })
    }
  return found
}

/** Waits until a fleet list has every object, all of them read from the index. @throws Error with what it has instead */
export async function allIndexed(
  { url, token }: { readonly url: string; readonly token: string },
  { instances, objects, namespace }: Listed,
  say: (line: string) => void,
): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  const query = new URLSearchParams({ ...CONFIG_MAPS, namespace, pageSize: '1' })
  const headers = { authorization: `Bearer ${token}` }
  try {
    for (;;) {
      const { statusCode, body } = await request(`${url}${API}/fleet/objects?${query}`, {
        dispatcher,
        headers,
      })
      const { places = [] } = (await body.json()) as {
        places?: { total?: number; source?: { source: string }; error?: { message: string } }[]
      }
      const indexed = places.filter(({ source }) => source?.source === 'index')
      const count = indexed.reduce((sum, { total = 0 }) => sum + total, 0)
      const trouble = places.find(({ error }) => error)?.error?.message ?? ''
      const what = `${statusCode}: ${count} of ${objects} objects of ${indexed.length} of ${instances} instances are read from the index ${trouble}`
      say(what)
      if (indexed.length === instances && count >= objects) return
      if (performance.now() > until) throw new Error(what)
      await new Promise(resolve => setTimeout(resolve, 1_000))
    }
  } finally {
    await dispatcher.close()
  }
}

/** The token of the page of a fleet that follows the middle one, by name. @throws Error where there is none */
export async function tokenAfterMiddle(
  { url, token }: { readonly url: string; readonly token: string },
  { objects, namespace }: Listed,
  pageSize: number,
): Promise<string> {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  const page = { page: String(middlePage(objects, pageSize)), pageSize: String(pageSize) }
  const query = new URLSearchParams({ ...CONFIG_MAPS, namespace, sortBy: 'field_name', ...page })
  try {
    const headers = { authorization: `Bearer ${token}` }
    const { statusCode, body } = await request(`${url}${API}/fleet/objects?${query}`, { dispatcher, headers })
    const { pagination } = (await body.json()) as { pagination?: { nextPageToken?: string } }
    if (!pagination?.nextPageToken) throw new Error(`${statusCode}: the middle page has no next one`)
    return pagination.nextPageToken
  } finally {
    await dispatcher.close()
  }
}
