import { Center, Group, Paper, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Mark } from '../parts/mark.js'

/** A page with one card, shown while nobody is signed in. */
export const Card = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <Center mih="100vh" p="md" component="main">
    <Paper withBorder p="xl" w="100%" maw={460}>
      <Stack>
        <Group wrap="nowrap">
          <Mark />
          <Title order={1} size="h2">
            {title}
          </Title>
        </Group>
        {children}
      </Stack>
    </Paper>
  </Center>
)
