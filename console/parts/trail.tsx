import { Anchor, Breadcrumbs, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { shownName } from './shown-name.js'

/** A breadcrumb: a link to the list, and the name of the shown object. */
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
  /** The name of the list. */
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

/** The name may come from the address, which anybody can write. */
const shown = (place: ReactNode): ReactNode => (typeof place === 'string' ? shownName(place) : place)
