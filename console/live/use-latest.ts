import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { type Known, LatestAnswer } from './latest-answer.js'

/**
 * The answer to a question that changes while it is shown; undefined asks nothing.
 * @param answerTo the same function from one drawing to the next
 */
export function useLatest<A>(
  question: string | undefined,
  answerTo: (question: string, signal: AbortSignal) => Promise<A>,
): Known<A> & { readonly again: () => void } {
  const latest = useMemo(() => new LatestAnswer(answerTo), [answerTo])
  useEffect(() => {
    if (question !== undefined) latest.ask(question)
  }, [latest, question])
  useEffect(() => () => latest.stop(), [latest])
  const known = useSyncExternalStore(latest.subscribe, latest.known)
  return useMemo(() => ({ ...known, again: () => latest.again() }), [known, latest])
}
