import { Progress, Stack, Text } from '@mantine/core'
import { useWords } from '../words/use-words.js'
import { AsOf } from './as-of.js'

/** A share as a bar with its numbers. Renders nothing where the whole is not known. */
export function Share({
  label,
  part,
  whole,
  text,
  asOf,
}: {
  readonly label: string
  readonly part: number | undefined
  readonly whole: number | undefined
  readonly text: string
  /** When it was so, where it is not known to be so now. */
  readonly asOf?: string | undefined
}) {
  const { joint } = useWords()
  if (whole === undefined || whole === 0) return <Text size="sm">–</Text>
  const percent = Math.min(100, ((part ?? 0) / whole) * 100)
  return (
    <Stack gap={4} miw={90}>
      <Progress.Root>
        <Progress.Section
          value={percent}
          color={percent > 90 ? 'red' : percent > 75 ? 'orange' : 'teal'}
          aria-label={label}
          aria-valuetext={text}
        />
      </Progress.Root>
      <Text size="xs" c="dimmed">
        {joint.of(label, text)}
      </Text>
      <AsOf time={asOf} />
    </Stack>
  )
}
