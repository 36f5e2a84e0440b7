import { Text } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import { RefusableButton } from '../rights/refusable-button.js'
import { useFormWords } from '../words/forms.js'
import { useNotYetWords } from '../words/not-yet.js'

/** The rows of a list in a form: up to `most`, the number of further ones, the server's refusal, and a button that adds one. */
export function Rows<T>({
  items,
  most,
  row,
  refused,
  add,
  addLabel,
  canAdd = items.length < most,
}: {
  readonly items: readonly T[]
  /** The most rows that are shown. */
  readonly most: number
  readonly row: (item: T, index: number) => ReactNode
  readonly refused?: string | undefined
  readonly add: () => void
  readonly addLabel: string
  readonly canAdd?: boolean
}) {
  const words = useFormWords()
  const notYet = useNotYetWords()
  return (
    <>
      {items.slice(0, most).map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows may be equal, and a row keeps its place while its key is typed
        <Fragment key={index}>{row(item, index)}</Fragment>
      ))}
      {items.length > most && <Text size="sm">{words.further(items.length - most)}</Text>}
      {refused && (
        <Text size="sm" c="red" role="alert">
          {refused}
        </Text>
      )}
      <RefusableButton
        variant="default"
        size="xs"
        style={{ alignSelf: 'start' }}
        refusal={canAdd ? undefined : notYet.full}
        onClick={add}
      >
        {addLabel}
      </RefusableButton>
    </>
  )
}
