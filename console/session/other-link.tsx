import { Button, Group, Text } from '@mantine/core'
import { useWords } from '../words/use-words.js'
import { Card } from './card.js'
import type { OtherSession } from './session.js'

/** Asks whether the user of a sign-in link replaces the user who is signed in. */
export function OtherLink({
  question: { user, current },
  replace,
  keep,
}: {
  readonly question: OtherSession
  readonly replace: () => void
  readonly keep: () => void
}) {
  const { session: words } = useWords()
  return (
    <Card title={words.otherTitle}>
      <Text size="sm">{words.other(user, current)}</Text>
      <Group>
        <Button onClick={keep}>{words.stay(current)}</Button>
        <Button variant="default" onClick={replace}>
          {words.goOnAs(user)}
        </Button>
      </Group>
    </Card>
  )
}
