import { useState } from 'react'

/** A write request: whether it is running, and its error. It is sent once and never retried by itself. */
export function useAct() {
  const [problem, setProblem] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const act = (work: () => Promise<unknown>, done: () => void) => {
    setBusy(true)
    setProblem(undefined)
    work()
      .then(done, error => setProblem(error instanceof Error ? error : new Error(String(error))))
      .finally(() => setBusy(false))
  }
  return { act, busy, problem }
}

/** A form's local time as RFC 3339 in UTC; empty where there is none. */
export const momentOf = (local: string): string => {
  const date = new Date(local)
  return local === '' || Number.isNaN(date.getTime()) ? '' : date.toISOString().replace(/\.\d+Z$/, 'Z')
}
