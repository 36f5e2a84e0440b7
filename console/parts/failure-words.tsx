import { Text } from '@mantine/core'
import { ApiError, ConnectionError } from '../../client/errors.js'
import { KubeError } from '../kube/kube-error.js'
import { useWords } from '../words/use-words.js'
import { NotLoaded } from './piece.js'

type Problems = ReturnType<typeof useWords>['problem']

/** What of a failure the page says itself; undefined where the server's words are all that is known. */
export function ownWordsOf(error: Error, problem: Problems): string | undefined {
  if (error instanceof NotLoaded) return problem.notLoaded
  return error instanceof ConnectionError ? problem.broken(error.message) : undefined
}

/** A sentence of a server's as text: in the reader's language where it is one of Kairship's own, else marked as the server's words. */
export const serverText = (text: string, problem: Problems): string =>
  problem.translated(text) ?? problem.server(text)

/** One text for a failure, such as for a tooltip. */
export const failureText = (error: Error, problem: Problems): string =>
  ownWordsOf(error, problem) ?? (isServers(error) ? serverText(error.message, problem) : error.message)

/** A failure in the reader's language where the page knows what it means, else in the server's own words, which are marked as such. */
export function FailureWords({ error }: { readonly error: Error }) {
  const { problem } = useWords()
  const own = ownWordsOf(error, problem)
  return (
    <Text size="sm">{own ?? (isServers(error) ? <ServerWords text={error.message} /> : error.message)}</Text>
  )
}

const isServers = (error: Error): boolean => error instanceof ApiError || error instanceof KubeError

/** The same as `serverText`, where the server's words are marked as English also for those who hear them. */
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
