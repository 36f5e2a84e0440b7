import { Badge, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useObjectWords } from '../words/objects.js'
import type { DataEntry } from './data-entries.js'

/** Characters of a value that are shown at first, and with each click on "more": megabytes of text would block the page. */
const FIRST = 2_000
const MORE = 50_000
/** The most entries that are shown. */
const MOST_ENTRIES = 200

/** The entries of a ConfigMap or a Secret. @param isHidden each value is shown when the user asks for it */
export function DataEntries({
  entries,
  isHidden = false,
}: {
  readonly entries: readonly DataEntry[]
  readonly isHidden?: boolean
}) {
  const words = useObjectWords()
  if (entries.length === 0) return <Text size="sm">{words.noData}</Text>
  return (
    <Stack gap="sm">
      {entries.slice(0, MOST_ENTRIES).map(entry => (
        <Entry key={entry.key} entry={entry} isHidden={isHidden} />
      ))}
      {entries.length > MOST_ENTRIES && (
        <Text size="sm">{words.furtherEntries(entries.length - MOST_ENTRIES)}</Text>
      )}
    </Stack>
  )
}

function Entry({
  entry: { key, text, bytes },
  isHidden,
}: {
  readonly entry: DataEntry
  readonly isHidden: boolean
}) {
  const words = useObjectWords()
  const [isOpen, setOpen] = useState(!isHidden)
  const [shown, setShown] = useState(FIRST)
  return (
    <div>
      <Group gap="xs" mb={4}>
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {key}
        </Text>
        <Text size="xs" c="dimmed">
          {words.bytes(bytes)}
        </Text>
        {text === undefined && (
          <Badge variant="default" tt="none">
            {words.binary}
          </Badge>
        )}
        {isHidden && text !== undefined && (
          <Button size="compact-xs" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? words.hide(key) : words.show(key)}
          </Button>
        )}
      </Group>
      {isOpen && text !== undefined && (
        <Code block tabIndex={0} mah={320} style={{ overflow: 'auto' }}>
          {text.slice(0, shown)}
        </Code>
      )}
      {isOpen && text !== undefined && text.length > shown && (
        <Button size="compact-xs" variant="subtle" onClick={() => setShown(shown + MORE)}>
          {words.more}
        </Button>
      )}
    </div>
  )
}
