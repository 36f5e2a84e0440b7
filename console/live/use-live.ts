import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { clock } from './clock.js'
import { LivePage } from './live-page.js'
import type { Page } from './page.js'
import { ROWS } from './pages.js'
import type { PageRequest, Source } from './source.js'
import { whileVisible } from './while-visible.js'

const followed = new Set<Pick<LivePage<unknown>, 'retry'>>()

/** Makes all lists on the screen retry at once, as after a sign-in. */
export function retryAll(): void {
  for (const live of followed) live.retry()
}

/**
 * The visible pages of a list, live while the tab is visible.
 * @param make makes the source; called again when `parts` change
 * @param at the visible page of a table that does not scroll, and its number of rows
 */
export function useLive<T>(
  make: () => Source<T>,
  parts: readonly unknown[],
  { page = 1, pageSize = ROWS }: Partial<PageRequest> = {},
): Page<T> {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller passes the parts of its source
  const live = useMemo(() => {
    const made = new LivePage(make(), clock, pageSize)
    made.showRows((page - 1) * pageSize, page * pageSize - 1)
    return made
  }, [...parts, page])
  useEffect(
    () =>
      whileVisible(
        () => {
          followed.add(live)
          live.start()
        },
        () => {
          followed.delete(live)
          live.stop()
        },
      ),
    [live],
  )
  return useSyncExternalStore(live.subscribe, live.page)
}
