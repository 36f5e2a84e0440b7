import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { ChunkLoadError } from '../connection/load-chunk.js'
import { isDenied } from '../live/denied.js'
import { useWords } from '../words/use-words.js'
import { FailureWords } from './failure-words.js'

/** A failure, its reason and what the user can do. A refusal for want of a right is not shown as a failure. */
export function Problem({
  error,
  retry,
  close,
}: {
  readonly error: Error
  readonly retry?: () => void
  readonly close?: () => void
}) {
  const { problem } = useWords()
  const isDenial = isDenied(error)
  const canLoadAnew = error instanceof ChunkLoadError
  return (
    <Alert
      color={isDenial ? 'gray' : 'red'}
      title={isDenial ? problem.denied : problem.title}
      role="alert"
      {...(close && { withCloseButton: true, closeButtonLabel: problem.close, onClose: close })}
    >
      <Stack align="flex-start">
        {isDenial && <Text size="sm">{problem.deniedHow}</Text>}
        <FailureWords error={error} />
        {(retry || canLoadAnew) && (
          <Group gap="xs">
            {retry && (
              <Button size="xs" variant="default" onClick={retry}>
                {isDenial ? problem.askAgain : problem.retry}
              </Button>
            )}
            {canLoadAnew && (
              <Button size="xs" variant="default" onClick={() => location.reload()}>
                {problem.loadAnew}
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Alert>
  )
}
