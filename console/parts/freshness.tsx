import { Group, Text, Tooltip } from '@mantine/core'
import { failureText } from '../failures/failure-words.js'
import { isDenied } from '../live/denied.js'
import type { Page } from '../live/page.js'
import { useWords } from '../words/use-words.js'
import { Dot } from './dot.js'
import { clockText } from './time.js'

/** Shows whether a list is live, stale or loading. */
export function Freshness({
  page,
}: {
  readonly page: Pick<Page<unknown>, 'state' | 'since' | 'countedAt' | 'problem'>
}) {
  const { live, locale, problem: words } = useWords()
  // The time and not the age: screen readers would read an age again each second.
  const since = clockText(page.since, locale)
  const { problem } = page
  // A refusal lasts longer than an outage.
  const isRefused = isDenied(problem)
  const text = {
    loading: isRefused ? live.denied : problem ? live.unread : live.loading,
    live: live.live,
    stale: isRefused ? live.deniedSince(since) : live.stale(since),
    read: live.read(since),
  }[page.state]
  const waiting = problem && !isRefused ? 'orange' : 'gray'
  const color = { loading: waiting, live: 'green', stale: 'orange', read: 'gray' }[page.state]
  const source = page.countedAt === undefined ? live.source : live.sourceOfLong
  return (
    <Tooltip
      label={page.state === 'live' ? source : problem ? failureText(problem, words) : text}
      multiline
      maw={420}
      events={{ hover: true, focus: true, touch: true }}
    >
      {/* Also for those without a mouse: the source is said nowhere else. */}
      <Group gap={6} role="status" tabIndex={0}>
        <Dot color={color} />
        <Text size="sm">{text}</Text>
      </Group>
    </Tooltip>
  )
}
