import { MultiSelect, type MultiSelectProps } from '@mantine/core'
import { useState } from 'react'

/**
 * A choice of several, which a keyboard can make. Mantine's own takes the highlight away with each choice, so that the next arrow begins at the
 * first option again. Here it stays at the option that was chosen, and Enter chooses the first one that matches the letters typed.
 */
export function SeveralSelect(
  props: Pick<MultiSelectProps, 'label' | 'description' | 'data' | 'value' | 'onChange' | 'disabled'>,
) {
  const [typed, setTyped] = useState('')
  return (
    <MultiSelect
      {...props}
      searchable
      clearable
      searchValue={typed}
      onSearchChange={setTyped}
      // It would be cleared together with the highlight.
      clearSearchOnChange={false}
      onOptionSubmit={() => setTyped('')}
      selectFirstOptionOnChange={typed !== ''}
    />
  )
}
