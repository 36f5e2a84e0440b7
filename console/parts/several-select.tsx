import { MultiSelect, type MultiSelectProps } from '@mantine/core'
import { useState } from 'react'

/**
 * A multi-select for the keyboard. Mantine's own loses its highlight with each choice, so that the next arrow key starts at the first option. Here
 * the highlight stays at the chosen option, and Enter chooses the first option that matches the typed text.
 */
export function SeveralSelect(
  props: Pick<
    MultiSelectProps,
    'label' | 'description' | 'data' | 'value' | 'onChange' | 'disabled' | 'style'
  >,
) {
  const [typed, setTyped] = useState('')
  return (
    <MultiSelect
      {...props}
      searchable
      clearable
      searchValue={typed}
      onSearchChange={setTyped}
      // Mantine would clear it together with the highlight.
      clearSearchOnChange={false}
      onOptionSubmit={() => setTyped('')}
      selectFirstOptionOnChange={typed !== ''}
    />
  )
}
