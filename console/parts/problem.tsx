import { Alert, Button, Stack, Text } from '@mantine/core'
import { useWords } from '../words/use-words.js'

/** A failure in the server's own words, and what can be done. */
export function Problem({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  const { problem } = useWords()
  return (
    <Alert color="red" title={problem.title} role="alert">
      <Stack align="flex-start">
        <Text size="sm">{error.message}</Text>
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            {problem.retry}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
