import { Text } from '@mantine/core'
import { useWords } from '../words/use-words.js'
import { Ago } from './time.js'

/** Says that figures are the last known ones, and of when. Nothing where they are current. */
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
