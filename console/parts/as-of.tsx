import { Text } from '@mantine/core'
import { useWords } from '../words/use-words.js'
import { Ago } from './time.js'

/** Says that values are the last known ones, and their age. Renders nothing for current ones. */
export function AsOf({ time }: { readonly time: string | undefined }) {
  const { live } = useWords()
  return (
    time !== undefined && (
      <Text size="xs" c="dimmed">
        {live.asOf} <Ago time={time} />
      </Text>
    )
  )
}
