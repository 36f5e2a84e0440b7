import { Stack, Tabs, Title } from '@mantine/core'
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { useAccessWords } from '../words/use-access-words.js'

/** The tabs around the access screens. */
export function AccessFrame() {
  const access = useAccessWords()
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const [, , part = 'account'] = pathname.split('/')
  return (
    <Stack>
      <Title order={1} size="h2">
        {access.title}
      </Title>
      <Tabs
        value={part}
        onChange={next => void navigate({ to: next === 'account' ? '/access' : `/access/${next}` } as never)}
      >
        <Tabs.List aria-label={access.title}>
          {Object.entries(access.tabs).map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={part} pt="md">
          <Outlet />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}
