import {
  ActionIcon,
  Anchor,
  AppShell,
  Burger,
  Group,
  Menu,
  NavLink,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, Outlet } from '@tanstack/react-router'
import { useState } from 'react'
import { failureText } from '../failures/failure-words.js'
import { Mark } from '../parts/mark.js'
import { useSession } from '../session/session-gate.js'
import { type Language, useLanguage } from '../words/use-words.js'
import { Keyboard } from './keyboard.js'
import { useArrival } from './use-arrival.js'

/** The sections of the whole fleet, by their addresses. */
const sections = ['instances', 'events', 'compare', 'access'] as const

/** The id of the element that holds the screen. */
const CONTENT = 'content'

/** The frame of every screen: navigation, search, language, colour scheme and the signed-in user. */
export function Frame() {
  const { words } = useLanguage()
  const [opened, { toggle, close }] = useDisclosure()
  useArrival(CONTENT)
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 200, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="lg"
    >
      <a className="skip" href={`#${CONTENT}`}>
        {words.nav.skip}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={words.nav.fleet} />
            <Mark />
            <Text fw={600}>{words.product}</Text>
          </Group>
          <Settings />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm">
        {sections.map(section => (
          <NavLink
            key={section}
            component={Link}
            to={`/${section}`}
            label={words.nav[section === 'instances' ? 'fleet' : section]}
            color="gray"
            onClick={close}
            activeProps={{ 'data-active': true, 'aria-current': 'page' }}
          />
        ))}
        <NavLink href="/docs" label={words.nav.api} />
      </AppShell.Navbar>
      <AppShell.Main id={CONTENT} tabIndex={-1}>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  )
}

function Settings() {
  const { words, language, choose } = useLanguage()
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  const { session, leave } = useSession()
  const [problem, setProblem] = useState<Error>()
  const other: Language = language === 'en' ? 'zh' : 'en'
  return (
    <Group gap="xs" wrap="nowrap" miw={0}>
      <Keyboard />
      <ActionIcon
        variant="subtle"
        size="lg"
        aria-label={scheme === 'dark' ? words.look.toLight : words.look.toDark}
        onClick={() => setColorScheme(scheme === 'dark' ? 'light' : 'dark')}
      >
        {scheme === 'dark' ? '☀' : '☾'}
      </ActionIcon>
      <Anchor
        component="button"
        size="sm"
        style={{ flex: 'none' }}
        onClick={() => void choose(other).then(() => setProblem(undefined), setProblem)}
        lang={other}
      >
        {other === 'en' ? 'English' : '简体中文'}
      </Anchor>
      {problem && (
        <Text size="sm" role="alert" lineClamp={2}>
          {failureText(problem, words.problem)}
        </Text>
      )}
      <Menu>
        <Menu.Target>
          <Anchor component="button" size="sm" maw={180} miw={32} mih={24} truncate>
            {session.user}
          </Anchor>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{session.groups.join(', ')}</Menu.Label>
          <Menu.Item onClick={leave}>{words.session.signOut}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}
