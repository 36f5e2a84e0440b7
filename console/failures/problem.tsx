import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { isDenied } from '../live/denied.js'
import { ChunkLoadError } from '../loading/chunk.js'
import { useWords } from '../words/use-words.js'
import { FailureWords } from './failure-words.js'

/** A failure, why, and what can be done. Of what the caller may not do nothing has failed: it says so. */
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
  const isRefused = isDenied(error)
  const canLoadAnew = error instanceof ChunkLoadError
  return (
    <Alert
      color={isRefused ? 'gray' : 'red'}
      title={isRefused ? problem.denied : problem.title}
      role="alert"
      {...(close && { withCloseButton: true, closeButtonLabel: problem.close, onClose: close })}
    >
      <Stack align="flex-start">
        {isRefused && <Text size="sm">{problem.deniedHow}</Text>}
        <FailureWords error={error} />
        {(retry || canLoadAnew) && (
          <Group gap="xs">
            {retry && (
              <Button size="xs" variant="default" onClick={retry}>
                {isRefused ? problem.askAgain : problem.retry}
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
