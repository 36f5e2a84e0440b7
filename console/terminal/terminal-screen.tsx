import { Box, Button, Group, Stack, Text, TextInput, Title, useComputedColorScheme } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { ownFetch } from '../connection/own-fetch.js'
import { Dot } from '../parts/dot.js'
import { useTerminalWords } from '../words/terminal.js'
import { PROTOCOLS, RemoteShell, type ShellState } from './remote-shell.js'
import { execPath, type TerminalSearch } from './terminal-search.js'
import { MOST_WAITING, showTerminal } from './xterm.js'

const route = getRouteApi('/instances/$name/terminal')

const colors = { connecting: 'blue', open: 'green', ended: 'gray' } as const

/** A terminal in a pod of a member cluster, as the page's reader: the instance and the member decide. */
export function TerminalScreen() {
  const { name: instance } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const words = useTerminalWords()
  const [attempt, setAttempt] = useState(0)
  const [state, setState] = useState<ShellState>({ name: 'connecting' })
  const [command, setCommand] = useState(search.command)
  const { cluster, namespace, pod, container } = search
  if (cluster === '' || namespace === '' || pod === '') return <Text>{words.incomplete}</Text>
  const again = (event: FormEvent) => {
    event.preventDefault()
    setAttempt(attempt + 1)
    void navigate({ search: { ...search, command: command.trim() }, replace: true })
  }
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2}>{words.in(pod, cluster)}</Title>
        <Group gap={6} role="status">
          <Dot color={colors[state.name]} />
          <Text size="sm">
            {state.name === 'ended' && state.code !== undefined
              ? words.states.code(state.code)
              : words.states[state.name]}
          </Text>
        </Group>
      </Group>
      <Text size="sm" c="dimmed">
        {namespace}/{pod}
        {container && ` · ${words.container}: ${container}`} · {words.leave}
      </Text>
      {state.name === 'ended' && state.why && (
        <Text c="red" role="alert">
          {state.why}
        </Text>
      )}
      <Shell key={`${attempt} ${search.command}`} instance={instance} search={search} changed={setState} />
      {state.name === 'ended' && (
        <Group component="form" onSubmit={again} align="flex-end">
          <TextInput
            label={words.command}
            value={command}
            onChange={({ currentTarget: { value } }) => setCommand(value)}
          />
          <Button type="submit" disabled={command.trim() === ''}>
            {words.again}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function Shell({
  instance,
  search,
  changed,
}: {
  readonly instance: string
  readonly search: TerminalSearch
  readonly changed: (state: ShellState) => void
}) {
  const words = useTerminalWords()
  const scheme = useComputedColorScheme('light')
  const element = useRef<HTMLDivElement>(null)
  const shown = useRef<ReturnType<typeof showTerminal>['terminal']>(undefined)
  // The parts of one terminal live and end together; another container is another terminal (see `key`).
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of words or colours must not end what runs
  useEffect(() => {
    if (!element.current) return
    const { terminal, fill } = showTerminal(element.current, themes[scheme], words.region)
    shown.current = terminal
    const path = execPath(instance, search)
    let waiting = 0
    const shell = new RemoteShell({
      connect: () => new WebSocket(`wss://${location.host}${path}`, [...PROTOCOLS]),
      whyRefused: () => whyRefused(path),
      output(bytes) {
        waiting += bytes.length
        if (waiting > MOST_WAITING) return shell.stop(words.flood)
        terminal.write(bytes, () => {
          waiting -= bytes.length
        })
      },
      changed(state) {
        changed(state)
        terminal.options.disableStdin = state.name !== 'open'
        if (state.name === 'open') terminal.focus()
      },
    })
    changed({ name: 'connecting' })
    terminal.onData(text => shell.input(text))
    terminal.onResize(({ cols, rows }) => shell.resize(cols, rows))
    // Tab belongs to the program: this is the way out for those who use the keyboard alone (WCAG 2.1.2).
    terminal.attachCustomKeyEventHandler(({ ctrlKey, altKey, code, type }) => {
      if (!(ctrlKey && altKey && code === 'KeyT')) return true
      if (type === 'keydown') document.getElementById('content')?.focus()
      return false
    })
    fill()
    const resized = new ResizeObserver(() => fill())
    resized.observe(element.current)
    shell.start()
    return () => {
      resized.disconnect()
      shell.stop()
      shown.current = undefined
      terminal.dispose()
    }
  }, [instance, search.cluster, search.namespace, search.pod, search.container, search.command])
  useEffect(() => {
    if (shown.current) shown.current.options.theme = themes[scheme]
  }, [scheme])
  return <Box ref={element} className="remote-shell" />
}

/** What the server answers to the same request without a terminal: its refusal in words. */
async function whyRefused(path: string): Promise<string | undefined> {
  const answer = await ownFetch(path, { headers: {} })
  if (answer.ok) return undefined
  const text = await answer.text()
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    return typeof message === 'string' ? message : text
  } catch {
    // Not from an API server: its own words.
    return text.slice(0, 500)
  }
}

const themes = {
  dark: { background: '#141414', foreground: '#e6e6e6', cursor: '#e6e6e6' },
  light: {
    background: '#ffffff',
    foreground: '#1a1a1a',
    cursor: '#1a1a1a',
    selectionBackground: '#b3d7ff',
  },
} as const
