import { Button, Group, Stack, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Problem } from '../failures/problem.js'
import { RefusableButton } from '../rights/refusable-button.js'
import { useNotYetWords } from '../words/not-yet.js'

/** The content of a dialog that removes something: what is removed, the name to type where much is removed, and the error. */
export function RemovalForm({
  name,
  words,
  children,
  error,
  isAccepted = true,
  busy,
  remove,
  close,
}: {
  /** The name that the user must type; absent where they need not. */
  readonly name?: string
  readonly words: {
    readonly typeName: (name: string) => string
    readonly cancel: string
    readonly remove: string
  }
  /** What is removed, and what stays. */
  readonly children: ReactNode
  readonly error: Error | undefined
  /** The server accepted the dry run; true where there is none. */
  readonly isAccepted?: boolean
  readonly busy: boolean
  readonly remove: () => void
  readonly close: () => void
}) {
  const [typed, setTyped] = useState('')
  const notYet = useNotYetWords()
  const isNamed = name === undefined || typed === name
  const refusal = !isNamed ? notYet.typeName(name) : isAccepted ? undefined : notYet.trying
  return (
    <Stack>
      {children}
      {name !== undefined && (
        <TextInput
          label={words.typeName(name)}
          value={typed}
          onChange={({ currentTarget: { value } }) => setTyped(value)}
          autoComplete="off"
          data-autofocus
        />
      )}
      {error && <Problem error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {words.cancel}
        </Button>
        <RefusableButton color="red" refusal={refusal} loading={busy} onClick={remove}>
          {words.remove}
        </RefusableButton>
      </Group>
    </Stack>
  )
}
