import { Text } from '@mantine/core'
import { ApiError, ConnectionError } from '../../client/errors.js'
import { KubeError } from '../kube/kube-error.js'
import { NotLoaded } from '../loading/piece.js'
import { useWords } from '../words/use-words.js'
import { type ProblemWords, ServerWords, serverText } from './server-words.js'

/** What of a failure the page says itself; undefined where the server's words are all that is known. */
function ownWordsOf(error: Error, problem: ProblemWords): string | undefined {
  if (error instanceof NotLoaded) return problem.notLoaded
  return error instanceof ConnectionError ? problem.broken(error.message) : undefined
}

/** One text for a failure, such as for a tooltip. */
export const failureText = (error: Error, problem: ProblemWords): string =>
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
