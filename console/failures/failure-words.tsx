import { Text } from '@mantine/core'
import { ConnectionError } from '../../client/errors.js'
import { ChunkLoadError } from '../connection/load-chunk.js'
import { AnswerTooLarge, NestedTooDeep, NotServed, UnknownOutcome } from '../kube/kube-error.js'
import { useWords } from '../words/use-words.js'
import { OthersWords, type ProblemWords, serverText } from './server-words.js'

/** The page's own text for a failure; undefined where only the server's text is known. */
function ownWordsOf(error: Error, problem: ProblemWords): string | undefined {
  if (error instanceof ChunkLoadError) return problem.notLoaded
  if (error instanceof NotServed) return problem.notServed(error.instance, error.what, error.apiVersion)
  if (error instanceof AnswerTooLarge) return problem.tooLarge(error.most)
  if (error instanceof NestedTooDeep) return problem.tooDeep
  if (error instanceof UnknownOutcome) return problem.unknownOutcome(error.why)
  // `fetch` rejects with a TypeError where no answer comes.
  if (
    error instanceof ConnectionError ||
    (error instanceof TypeError && /fetch|network|load/i.test(error.message))
  )
    return problem.broken(error.message)
  return undefined
}

/** The text of a failure, such as for a tooltip. */
export function failureText(error: Error, problem: ProblemWords): string {
  const own = ownWordsOf(error, problem)
  if (own !== undefined) return own
  if (!isServers(error)) return error.message
  return `${problem.meaning(error.reason) ?? ''}${serverText(error.message, problem, error.message)}`
}

/** A failure in the user's language where the page knows it, else in the server's words, marked as such. */
export function FailureWords({ error }: { readonly error: Error }) {
  const { problem } = useWords()
  const own = ownWordsOf(error, problem)
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      {own ?? (isServers(error) ? <Refused error={error} /> : error.message)}
    </Text>
  )
}

function Refused({ error: { message, reason } }: { readonly error: Refusal }) {
  const { problem } = useWords()
  return (
    <>
      {problem.meaning(reason)}
      <OthersWords text={message} />
    </>
  )
}

/** An error in the words of a server, whose reason is empty where it has none: `ApiError`, `KubeError`, `SignInRefused`, and that of one place of a list. */
type Refusal = Error & { readonly reason: string }

const isServers = (error: Error): error is Refusal => 'reason' in error && typeof error.reason === 'string'
