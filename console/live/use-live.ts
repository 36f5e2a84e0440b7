import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { clock } from './clock.js'
import { LivePage } from './live-page.js'
import type { Page } from './page.js'
import { ROWS } from './pages.js'
import type { PageRequest, Source } from './source.js'
import { whileVisible } from './while-visible.js'

const followed = new Set<Pick<LivePage<unknown>, 'retry'>>()

/** What all lists on the screen wait for may be there now: they try again at once. */
export function retryAll(): void {
  for (const live of followed) live.retry()
}

/**
 * The pages of a list that are in sight, live while its tab is shown.
 * @param make makes its source; called again when `parts` change
 * @param at which page is in sight where nobody scrolls, and how many rows it has
 */
export function useLive<T>(
  make: () => Source<T>,
  parts: readonly unknown[],
  { page = 1, pageSize = ROWS }: Partial<PageRequest> = {},
): Page<T> {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller names what its source is made of
  const live = useMemo(() => {
    const made = new LivePage(make(), clock, pageSize)
    made.look((page - 1) * pageSize, page * pageSize - 1)
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
