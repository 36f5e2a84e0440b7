import { Anchor, Breadcrumbs, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { shownName } from './shown-name.js'

/** Where a screen is: the list that leads to it, and what it shows. */
export function Trail({
  to,
  params = {},
  search = {},
  from,
  here,
}: {
  readonly to: string
  readonly params?: object
  readonly search?: object
  /** What the list is called. */
  readonly from: ReactNode
  readonly here: ReactNode
}) {
  return (
    <Breadcrumbs>
      <Anchor component={Link} to={to} params={params as never} search={search as never} size="sm">
        {shown(from)}
      </Anchor>
      <Text size="sm">{shown(here)}</Text>
    </Breadcrumbs>
  )
}

/** A name may come from the address, which anybody can write. */
const shown = (place: ReactNode): ReactNode => (typeof place === 'string' ? shownName(place) : place)
