import { NumberInput, type NumberInputProps } from '@mantine/core'

/** A field for an integer from 0; undefined while it is empty. */
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
