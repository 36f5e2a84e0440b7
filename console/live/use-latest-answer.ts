import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { type AnswerState, LatestAnswer } from './latest-answer.js'

/**
 * The answer to a question that changes while the screen is open; an undefined question is not sent.
 * @param answerTo must be the same function in each render
 */
export function useLatestAnswer<A>(
  question: string | undefined,
  answerTo: (question: string, signal: AbortSignal) => Promise<A>,
): AnswerState<A> & { readonly retry: () => void } {
  const latest = useMemo(() => new LatestAnswer(answerTo), [answerTo])
  useEffect(() => {
    if (question !== undefined) latest.ask(question)
  }, [latest, question])
  useEffect(() => () => latest.stop(), [latest])
  const state = useSyncExternalStore(latest.subscribe, latest.state)
  return useMemo(() => ({ ...state, retry: () => latest.retry() }), [state, latest])
}
