import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { LivePage, type Page, type Source } from './live-page.js'

/** A tab that is hidden for longer needs no stream, milliseconds. */
const HIDDEN_MS = 15_000

const followed = new Set<LivePage<never>>()

/** What all lists on the screen wait for may be there now: they try again at once. */
export function retryAll(): void {
  for (const live of followed) live.retry()
}

/** A page of a list, live while its tab is shown. @param make makes its source; called again when `parts` change */
export function useLive<T>(make: () => Source<T>, parts: readonly unknown[]): Page<T> {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller names what its source is made of
  const live = useMemo(() => new LivePage(make()), parts)
  useEffect(
    () =>
      whileVisible(
        () => {
          followed.add(live as LivePage<never>)
          live.start()
        },
        () => {
          followed.delete(live as LivePage<never>)
          live.stop()
        },
      ),
    [live],
  )
  return useSyncExternalStore(live.subscribe, live.page)
}

/** Starts now or when the tab is shown, and stops when it has been hidden for a while. @returns stops for good */
export function whileVisible(start: () => void, stop: () => void): () => void {
  let hidden: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    clearTimeout(hidden)
    if (document.visibilityState === 'visible') start()
    else hidden = setTimeout(stop, HIDDEN_MS)
  }
  look()
  document.addEventListener('visibilitychange', look)
  return () => {
    document.removeEventListener('visibilitychange', look)
    clearTimeout(hidden)
    stop()
  }
}
