import { useCallback, useRef, useState } from 'react'

/** An action that a user starts: whether it is running, and why it failed. It is sent once and never retried by itself. */
export interface Action<A extends readonly unknown[]> {
  readonly busy: boolean
  readonly error: Error | undefined
  /** Does nothing while it is running. */
  readonly run: (...args: A) => Promise<void>
}

export function useAction<A extends readonly unknown[]>(act: (...args: A) => Promise<void>): Action<A> {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error>()
  // Two quick clicks see the same state of the last render, so a ref decides.
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
  return { busy, error, run }
}
