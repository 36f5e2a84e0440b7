import { Group, Text, Tooltip } from '@mantine/core'
import type { Page } from '../live/live-page.js'
import { useWords } from '../words/use-words.js'
import { Dot } from './dot.js'
import { ageOf } from './time.js'

/** Says where a table is from, and whether it is what there is now. */
export function Freshness({ page }: { readonly page: Pick<Page<unknown>, 'state' | 'since' | 'problem'> }) {
  const { live, locale } = useWords()
  const text = {
    loading: live.loading,
    live: live.live,
    stale: live.stale(ageOf(page.since, Date.now(), locale)),
    read: live.read(ageOf(page.since, Date.now(), locale)),
  }[page.state]
  const color = { loading: 'gray', live: 'green', stale: 'orange', read: 'gray' }[page.state]
  return (
    <Tooltip label={page.state === 'live' ? live.source : (page.problem?.message ?? text)}>
      <Group gap={6} role="status">
        <Dot color={color} />
        <Text size="sm">{text}</Text>
      </Group>
    </Tooltip>
  )
}
