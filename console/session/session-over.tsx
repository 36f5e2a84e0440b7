import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useWords } from '../words/use-words.js'
import type { SessionState } from './session-keeper.js'
import { SignInForm } from './sign-in-form.js'

/** Asks the user to sign in again, over the page, which stays as it is. */
export function SessionOver({
  state,
  signedIn,
}: {
  readonly state: Exclude<SessionState, { readonly is: 'valid' }>
  readonly signedIn: () => void
}) {
  const { session: words } = useWords()
  const [isOpen, setOpen] = useState(true)
  const [isInWindow, setInWindow] = useState(false)
  const { is, session } = state
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new state opens the dialog again
  useEffect(() => setOpen(true), [is])
  const [title, text] =
    state.is === 'over'
      ? [words.overTitle, words.over(session.user)]
      : [words.anotherTitle, words.another(state.other.user, session.user)]
  return (
    <>
      <Alert variant="default" title={title} role="alert" className="over">
        <Group justify="space-between">
          <Text size="sm">{text}</Text>
          <Button size="xs" variant="default" onClick={() => setOpen(true)}>
            {words.again}
          </Button>
        </Group>
      </Alert>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={title}
        closeButtonProps={{ 'aria-label': words.later }}
      >
        <Stack>
          <Text size="sm">{text}</Text>
          {state.is === 'another' && (
            <Button variant="default" onClick={() => location.reload()}>
              {words.startAs(state.other.user)}
            </Button>
          )}
          <SignInForm
            done={signedIn}
            inWindow={() => setInWindow(true)}
            problem={isInWindow ? <Text size="sm">{words.elsewhere}</Text> : undefined}
          />
        </Stack>
      </Modal>
    </>
  )
}
