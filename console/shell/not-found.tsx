import { Title } from '@mantine/core'
import { useWords } from '../words/use-words.js'

export function NotFound() {
  const { problem } = useWords()
  return <Title order={2}>{problem.notFound}</Title>
}
