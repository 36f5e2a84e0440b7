/** A tab that is hidden for longer needs no stream, milliseconds. */
const HIDDEN_MS = 15_000

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

/** The same for work that a signal ends: one run at a time. @param run it must not reject */
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
