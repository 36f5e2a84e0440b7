/** How long a hidden tab keeps its streams, milliseconds. */
const HIDDEN_MS = 15_000

/**
 * Calls `start` when the tab is visible, and `stop` when it has been hidden for a while.
 * @returns a function that stops for good
 */
export function whileVisible(start: () => void, stop: () => void): () => void {
  let hidden: ReturnType<typeof setTimeout> | undefined
  const update = () => {
    clearTimeout(hidden)
    if (document.visibilityState === 'visible') start()
    else hidden = setTimeout(stop, HIDDEN_MS)
  }
  update()
  document.addEventListener('visibilitychange', update)
  return () => {
    document.removeEventListener('visibilitychange', update)
    clearTimeout(hidden)
    stop()
  }
}

/** Runs work while the tab is visible, one run at a time, and aborts it otherwise. @param run must not reject */
export function runWhileVisible(run: (signal: AbortSignal) => Promise<void>): () => void {
  let current: AbortController | undefined
  return whileVisible(
    () => {
      if (current) return
      current = new AbortController()
      void run(current.signal)
    },
    () => {
      current?.abort()
      current = undefined
    },
  )
}
