import { Button, Group, Loader, Text } from '@mantine/core'
import { RefusableButton } from '../rights/refusable-button.js'
import { useEditorWords } from '../words/editor.js'
import { useNotYetWords } from '../words/not-yet.js'
import type { EditProps } from './edit-props.js'

/** The buttons of the current step. */
export function Steps({
  edit,
  send,
  refusal,
}: EditProps & {
  /** Why the caller may not store it; undefined where they may, and until that is known. */
  readonly refusal: string | undefined
}) {
  const words = useEditorWords()
  const notYet = useNotYetWords()
  switch (edit.step) {
    case 'editing':
      return (
        <>
          <RefusableButton refusal={refusal} onClick={() => send({ type: 'check' })}>
            {words.check}
          </RefusableButton>
          {edit.aside !== undefined && (
            <Button variant="default" onClick={() => send({ type: 'takeBack' })}>
              {words.takeBack}
            </Button>
          )}
        </>
      )
    case 'checking':
      return (
        <Group role="status">
          <Loader size="sm" aria-hidden />
          <Text size="sm">{words.checking}</Text>
          <Button variant="default" onClick={() => send({ type: 'back' })}>
            {words.back}
          </Button>
        </Group>
      )
    case 'reviewing':
    case 'applying':
      return (
        <>
          <RefusableButton
            loading={edit.step === 'applying'}
            refusal={edit.checked.before === edit.checked.after ? notYet.noChange : undefined}
            onClick={() => send({ type: 'apply' })}
          >
            {words.apply}
          </RefusableButton>
          <Button
            variant="default"
            disabled={edit.step === 'applying'}
            onClick={() => send({ type: 'back' })}
          >
            {words.back}
          </Button>
        </>
      )
    case 'conflicted':
      return (
        <>
          <Button onClick={() => send({ type: 'keepMine' })}>{words.keepMine}</Button>
          <Button variant="default" onClick={() => send({ type: 'takeTheirs' })}>
            {words.takeTheirs}
          </Button>
        </>
      )
    case 'applied':
      return null
  }
}
