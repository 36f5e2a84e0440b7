import { useState } from 'react'

/** One request that changes something: under way, or refused in the server's words. It is sent once, and never again by itself. */
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

/** A moment as a form has it, in the reader's zone, as RFC 3339; empty where there is none. */
export const momentOf = (local: string): string => {
  const date = new Date(local)
  return local === '' || Number.isNaN(date.getTime()) ? '' : date.toISOString().replace(/\.\d+Z$/, 'Z')
}
