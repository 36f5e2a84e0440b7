import { Button, Group, Text } from '@mantine/core'
import { useWords } from '../words/use-words.js'
import { Card } from './card.js'
import type { OtherSession } from './session.js'

/** Asks whether a link of another user is to take the place of the session. */
export function OtherLink({
  question: { user, current },
  goOn,
  stay,
}: {
  readonly question: OtherSession
  readonly goOn: () => void
  readonly stay: () => void
}) {
  const { session: words } = useWords()
  return (
    <Card title={words.otherTitle}>
      <Text size="sm">{words.other(user, current)}</Text>
      <Group>
        <Button onClick={stay}>{words.stay(current)}</Button>
        <Button variant="default" onClick={goOn}>
          {words.goOnAs(user)}
        </Button>
      </Group>
    </Card>
  )
}
