import { Paper, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** A part of a screen with a heading, in a frame. */
export const Section = ({
  title,
  order = 3,
  children,
}: {
  readonly title: string
  /** Of the heading. */
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
