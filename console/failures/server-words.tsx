import { useWords } from '../words/use-words.js'

/** The texts about failures, in the reader's language. */
export type ProblemWords = ReturnType<typeof useWords>['problem']

/** A sentence of a server's as text: in the reader's language where it is one of Kairship's own, else marked as the server's words. */
export const serverText = (text: string, problem: ProblemWords): string =>
  problem.translated(text) ?? problem.server(text)

/** The same as `serverText`, and the server's words are marked as English for screen readers too. */
export function ServerWords({ text }: { readonly text: string }) {
  const { problem } = useWords()
  const own = problem.translated(text)
  if (own !== undefined) return own
  const [before, after] = problem.server('\0').split('\0')
  return (
    <>
      {before}
      <span lang="en">{text}</span>
      {after}
    </>
  )
}
