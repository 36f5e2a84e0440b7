import { Text } from '@mantine/core'
import { ApiError, ConnectionError } from '../../client/errors.js'
import { KubeError } from '../kube/kube-error.js'
import { NotLoaded } from '../loading/piece.js'
import { useWords } from '../words/use-words.js'
import { OthersWords, type ProblemWords, serverText } from './server-words.js'

/** What of a failure the page says itself; undefined where the server's words are all that is known. */
function ownWordsOf(error: Error, problem: ProblemWords): string | undefined {
  if (error instanceof NotLoaded) return problem.notLoaded
  return error instanceof ConnectionError ? problem.broken(error.message) : undefined
}

/** One text for a failure, such as for a tooltip. */
export function failureText(error: Error, problem: ProblemWords): string {
  const own = ownWordsOf(error, problem)
  if (own !== undefined) return own
  if (!isServers(error)) return error.message
  return `${problem.meaning(error.reason) ?? ''}${serverText(error.message, problem, error.message)}`
}

/** A failure in the reader's language where the page knows what it means, else in the server's own words, which are marked as such. */
export function FailureWords({ error }: { readonly error: Error }) {
  const { problem } = useWords()
  const own = ownWordsOf(error, problem)
  if (own !== undefined || !isServers(error)) return <Text size="sm">{own ?? error.message}</Text>
  return (
    <Text size="sm">
      {problem.meaning(error.reason)}
      <OthersWords text={error.message} />
    </Text>
  )
}

const isServers = (error: Error): error is ApiError | KubeError =>
  error instanceof ApiError || error instanceof KubeError
