import { Fragment } from 'react'
import type { Part } from '../words/quoting.js'
import type { Said } from '../words/server-sentences.js'
import { useWords } from '../words/use-words.js'

/** The console's texts about failures. */
export type ProblemWords = ReturnType<typeof useWords>['problem']

/** A server's sentence: translated where it is one of Kairship's, else marked as the server's words. */
export const serverText = (text: string, problem: ProblemWords, others = ''): string =>
  problem
    .translated(text, others)
    ?.map(part => (typeof part === 'string' ? part : `“${part.quoted}”`))
    .join('') ?? problem.server(text)

/** Like `serverText`; the server's words are also marked as English for screen readers. */
export function ServerWords({ text, others }: { readonly text: string; readonly others?: string }) {
  const { problem } = useWords()
  return <Marked text={text} parts={problem.translated(text, others)} />
}

/** Words that are none of Kairship's, such as a condition of a cluster: marked as the server's, whatever they say. */
export const OthersWords = ({ text }: { readonly text: string }) => <ServerWords text={text} others={text} />

/** The message of a condition of an instance. */
export function ConditionWords({ condition }: { readonly condition: Said }) {
  const { problem } = useWords()
  return <Marked text={condition.message} parts={problem.condition(condition)} />
}

function Marked({ text, parts }: { readonly text: string; readonly parts: readonly Part[] | undefined }) {
  const { problem } = useWords()
  if (!parts) {
    const [before = '', after = ''] = problem.server('\0').split('\0')
    return (
      <>
        {before}
        <span lang="en">{text}</span>
        {after}
      </>
    )
  }
  return parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no order but this
    <Fragment key={at}>
      {typeof part === 'string' ? (
        part
      ) : (
        <>
          “<span lang="en">{part.quoted}</span>”
        </>
      )}
    </Fragment>
  ))
}
