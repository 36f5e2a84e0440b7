import { useEffect, useSyncExternalStore } from 'react'
import { whileVisible } from './while-visible.js'

/** A stream that a screen shows in part, such as a log. */
interface Feed<V> {
  start(): void
  stop(): void
  /** The same object until something changes. */
  readonly view: () => V
  readonly subscribe: (changed: () => void) => () => void
}

/** The current view of a feed. The feed follows its stream while the tab is visible. */
export function useFeed<V>(feed: Feed<V>): V {
  useEffect(
    () =>
      whileVisible(
        () => feed.start(),
        () => feed.stop(),
      ),
    [feed],
  )
  return useSyncExternalStore(feed.subscribe, feed.view)
}
