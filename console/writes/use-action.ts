import { useCallback, useRef, useState } from 'react'

/** One thing that a person does: whether it is under way, and why it failed. It is sent once, and never again by itself. */
export interface Action<A extends readonly unknown[]> {
  readonly busy: boolean
  readonly error: Error | undefined
  /** Does nothing while it is under way. */
  readonly run: (...args: A) => Promise<void>
  readonly forget: () => void
}

export function useAction<A extends readonly unknown[]>(act: (...args: A) => Promise<void>): Action<A> {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error>()
  // The state is of the last drawing: two quick presses would both see it free.
  const running = useRef(false)
  const latest = useRef(act)
  latest.current = act
  const run = useCallback(async (...args: A) => {
    if (running.current) return
    running.current = true
    setBusy(true)
    setError(undefined)
    try {
      await latest.current(...args)
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)))
    } finally {
      running.current = false
      setBusy(false)
    }
  }, [])
  return { busy, error, run, forget: useCallback(() => setError(undefined), []) }
}
