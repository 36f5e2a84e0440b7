import { Pagination } from '@mantine/core'
import { useWords } from '../words/use-words.js'

/** Turns the pages of the fleet. */
export function FleetPages({
  total,
  page,
  turn,
}: {
  /** How many pages there are. */
  readonly total: number
  /** The one that is shown; the first is 1. */
  readonly page: number
  readonly turn: (to: number) => void
}) {
  const { fleet, list } = useWords()
  return (
    <Pagination
      total={total}
      value={page}
      onChange={turn}
      getItemProps={number => ({ 'aria-label': `${fleet.page} ${number}` })}
      getControlProps={control => ({ 'aria-label': list.turn[control] })}
    />
  )
}
