import { Box, Group, Stack, Text, TextInput, Title, useComputedColorScheme } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { ownFetch, ownSocket } from '../connection/own-fetch.js'
import { OthersWords } from '../failures/server-words.js'
import { Dot } from '../parts/dot.js'
import { RefusableButton } from '../rights/refusable-button.js'
import { useNotYetWords } from '../words/not-yet.js'
import { useTerminalWords } from '../words/terminal.js'
import { useWords } from '../words/use-words.js'
import { Output } from './output.js'
import { type End, PROTOCOLS, RemoteShell, type ShellState } from './remote-shell.js'
import { addressOf, execPath, runs, type Started, type TerminalSearch } from './terminal-search.js'
import { showTerminal } from './xterm.js'

const route = getRouteApi('/instances/$name/terminal')

const colors = { asked: 'gray', connecting: 'blue', open: 'green', ended: 'gray' } as const

/** A terminal in a pod of a member cluster, as the user of the page. The RBAC of the instance and the member decides. */
export function TerminalScreen() {
  const { name: instance } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const words = useTerminalWords()
  const notYet = useNotYetWords()
  const { joint } = useWords()
  const [started, setStarted] = useState<Started>()
  const [state, setState] = useState<ShellState>({ name: 'connecting' })
  const [command, setCommand] = useState(search.command)
  const { cluster, namespace, pod, container } = search
  if (cluster === '' || namespace === '' || pod === '') return <Text>{words.incomplete}</Text>
  const isRunning = runs(search, started)
  const shown = isRunning ? state : ({ name: 'asked' } as const)
  const canStart = shown.name === 'asked' || shown.name === 'ended'
  const start = (event: FormEvent) => {
    event.preventDefault()
    // Browsers submit a form with one field on Enter, also where the button is disabled.
    if (command.trim() === '') return
    const next = { ...search, command: command.trim() }
    // The address changes a moment later. Until then no command runs, in particular not the one of the old address.
    setStarted({ address: addressOf(next), attempt: (started?.attempt ?? 0) + 1 })
    void navigate({ search: next, replace: true })
  }
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2}>{words.in(pod, cluster)}</Title>
        <Group gap={6} role="status">
          <Dot color={colors[shown.name]} />
          <Text size="sm">
            {shown.name === 'ended' && shown.code !== undefined
              ? words.states.code(shown.code)
              : words.states[shown.name]}
          </Text>
        </Group>
      </Group>
      <Text size="sm" c="dimmed">
        {namespace}/{pod}
        {container && ` · ${joint.of(words.container, container)}`} · {words.leave}
      </Text>
      {shown.name === 'ended' && <WhyEnded end={shown} />}
      {isRunning ? (
        <Shell
          key={`${started?.attempt} ${search.command}`}
          instance={instance}
          search={search}
          changed={setState}
        />
      ) : (
        <Text>{words.asked}</Text>
      )}
      {canStart && (
        <Group component="form" onSubmit={start} align="flex-end">
          <TextInput
            label={words.command}
            value={command}
            onChange={({ currentTarget: { value } }) => setCommand(value)}
          />
          <RefusableButton
            type="submit"
            refusal={command.trim() === '' ? notYet.fill([words.command]) : undefined}
          >
            {isRunning ? words.again : words.start}
          </RefusableButton>
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
  // One effect for all parts of a terminal. Another container gets another `Shell` by its `key`.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of language or colours must not end the program
  useEffect(() => {
    if (!element.current) return
    const { terminal, fill } = showTerminal(element.current, themes[scheme], words.region)
    shown.current = terminal
    const path = execPath(instance, search)
    const output = new Output(
      {
        write: (bytes, then) => terminal.write(bytes, then),
        readAloud(isOn) {
          terminal.options.screenReaderMode = isOn
        },
      },
      {
        flooded: () => shell.stop(words.flood),
        isHidden: () => document.visibilityState === 'hidden',
        missing: words.missing,
      },
    )
    const shell = new RemoteShell({
      connect: () => ownSocket(path, PROTOCOLS),
      whyRefused: () => whyRefused(path),
      output: bytes => output.write(bytes),
      changed(state) {
        changed(state)
        terminal.options.disableStdin = state.name !== 'open'
        if (state.name === 'open') terminal.focus()
      },
    })
    changed({ name: 'connecting' })
    terminal.onData(text => {
      output.typed()
      shell.input(text)
    })
    terminal.onResize(({ cols, rows }) => shell.resize(cols, rows))
    // The program gets Tab, so Ctrl Alt T leaves the terminal by keyboard (WCAG 2.1.2).
    terminal.attachCustomKeyEventHandler(({ ctrlKey, altKey, code, type }) => {
      if (!(ctrlKey && altKey && code === 'KeyT')) return true
      if (type === 'keydown') document.getElementById('content')?.focus()
      return false
    })
    fill()
    const resized = new ResizeObserver(() => fill())
    resized.observe(element.current)
    const looked = () => output.shown()
    document.addEventListener('visibilitychange', looked)
    shell.start()
    return () => {
      resized.disconnect()
      document.removeEventListener('visibilitychange', looked)
      shell.stop()
      output.stop()
      shown.current = undefined
      terminal.dispose()
    }
  }, [instance, search.cluster, search.namespace, search.pod, search.container, search.command])
  useEffect(() => {
    if (shown.current) shown.current.options.theme = themes[scheme]
  }, [scheme])
  return <Box ref={element} className="remote-shell" />
}

function WhyEnded({ end: { why, said, broke } }: { readonly end: End }) {
  const words = useTerminalWords()
  if (!why && !said && broke === undefined) return null
  return (
    <Text c="red" role="alert">
      {said ? <OthersWords text={said} /> : (why ?? words.broke(broke ?? 0))}
    </Text>
  )
}

/** Sends the same request without a WebSocket, whose answer has the server's reason. */
async function whyRefused(path: string): Promise<string | undefined> {
  const answer = await ownFetch(path, { headers: {} })
  if (answer.ok) {
    // The answer may be endless and would keep one of the browser's connections.
    await answer.body?.cancel()
    return undefined
  }
  const text = await answer.text()
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    return typeof message === 'string' ? message : text
  } catch {
    // Not JSON, so not from an API server: show its text.
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
