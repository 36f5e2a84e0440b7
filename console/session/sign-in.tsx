import { Button, Center, Group, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Problem } from '../parts/problem.js'
import { Mark } from '../shell/mark.js'
import { useWords } from '../words/use-words.js'
import { type Session, signIn } from './session.js'

/** The way in: a link of the command line, or a token. */
export function SignIn({
  problem,
  done,
}: {
  readonly problem: ReactNode
  readonly done: (session: Session) => void
}) {
  const { session: words } = useWords()
  const [token, setToken] = useState('')
  const [refused, setRefused] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    signIn({ token: token.trim() })
      .then(done, error => setRefused(error instanceof Error ? error : new Error(String(error))))
      .finally(() => setBusy(false))
  }
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="xl" maw={460} component="form" onSubmit={submit}>
        <Stack>
          <Group>
            <Mark />
            <Title order={1} size="h2">
              {words.title}
            </Title>
          </Group>
          <Text size="sm">{words.how}</Text>
          {refused ? <Problem error={refused} /> : problem}
          <PasswordInput
            label={words.token}
            description={words.tokenHelp}
            value={token}
            onChange={event => setToken(event.currentTarget.value)}
            autoComplete="off"
            required
          />
          <Button type="submit" loading={busy} disabled={token.trim() === ''}>
            {words.submit}
          </Button>
        </Stack>
      </Paper>
    </Center>
  )
}
