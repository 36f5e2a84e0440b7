import { NumberInput, type NumberInputProps } from '@mantine/core'

/** A field for a whole number from 0; undefined while there is none. */
export const WholeNumber = ({
  value,
  set,
  ...field
}: Omit<NumberInputProps, 'value' | 'onChange'> & {
  readonly value: number | undefined
  readonly set: (value: number | undefined) => void
}) => (
  <NumberInput
    allowDecimal={false}
    allowNegative={false}
    {...field}
    value={value ?? ''}
    onChange={next => set(typeof next === 'number' ? next : undefined)}
  />
)
