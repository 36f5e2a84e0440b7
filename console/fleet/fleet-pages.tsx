import { Pagination } from '@mantine/core'
import { useWords } from '../words/use-words.js'

/** The page buttons of the fleet. */
export function FleetPages({
  total,
  page,
  turn,
}: {
  /** The number of pages. */
  readonly total: number
  /** The shown page; the first is 1. */
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
