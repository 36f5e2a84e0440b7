import { Paper, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** A framed section of a screen with a heading. */
export const Section = ({
  title,
  order = 3,
  children,
}: {
  readonly title: string
  /** The level of the heading. */
  readonly order?: 2 | 3
  readonly children: ReactNode
}) => (
  <Paper withBorder p="lg" component="section" aria-label={title}>
    <Title order={order} size="h4" mb="sm">
      {title}
    </Title>
    {children}
  </Paper>
)
