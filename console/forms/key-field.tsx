import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useFormWords } from '../words/forms.js'

/**
 * A field for the key of an entry. An empty or duplicate key is not written to the text, because the text would lose an entry; leaving the field
 * restores the last key.
 */
export function KeyField({
  label,
  value,
  isTaken,
  wrong,
  rename,
}: {
  readonly label: string
  readonly value: string
  readonly isTaken: (key: string) => boolean
  /** The problem of the current key. */
  readonly wrong: string | undefined
  readonly rename: (key: string) => void
}) {
  const words = useFormWords()
  const [typed, setTyped] = useState<string>()
  const problem = typed === undefined ? wrong : typed === '' ? words.keyMissing : words.keyTwice
  const take = (next: string) => {
    if (next !== value && (next === '' || isTaken(next))) return setTyped(next)
    setTyped(undefined)
    if (next !== value) rename(next)
  }
  return (
    <TextInput
      label={label}
      value={typed ?? value}
      error={problem}
      autoComplete="off"
      spellCheck={false}
      style={{ flex: 1 }}
      onChange={event => take(event.currentTarget.value)}
      onBlur={() => setTyped(undefined)}
    />
  )
}

/** An unused key: `key`, `key-2`, … */
export function freeKey(isTaken: (key: string) => boolean, wanted = 'key'): string {
  for (let n = 1; ; n += 1) {
    const key = n === 1 ? wanted : `${wanted}-${n}`
    if (!isTaken(key)) return key
  }
}
