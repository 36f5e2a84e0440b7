import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useWords } from '../words/use-words.js'
import { NotLoaded } from './piece.js'

/** A failure in the server's own words, and what can be done. */
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
  const isNotLoaded = error instanceof NotLoaded
  return (
    <Alert
      color="red"
      title={problem.title}
      role="alert"
      {...(close && { withCloseButton: true, closeButtonLabel: problem.close, onClose: close })}
    >
      <Stack align="flex-start">
        <Text size="sm">{isNotLoaded ? problem.notLoaded : error.message}</Text>
        <Group gap="xs">
          {retry && (
            <Button size="xs" variant="default" onClick={retry}>
              {problem.retry}
            </Button>
          )}
          {isNotLoaded && (
            <Button size="xs" variant="default" onClick={() => location.reload()}>
              {problem.loadAnew}
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  )
}
