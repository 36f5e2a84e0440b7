import { Combobox, Group, Loader, Text, TextInput, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQueries } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useLayoutEffect, useState } from 'react'
import { Problem } from '../failures/problem.js'
import { useSearchWords } from '../words/search.js'
import { useWords } from '../words/use-words.js'
import { Dialog } from '../writes/dialog.js'
import { addressOf, type Results, search, searched } from './fleet-search.js'

/** The pause after typing before a search is sent, milliseconds. */
const TYPING_MS = 200
/** The fewest characters of a search: fewer match nearly everything. */
const SHORTEST = 2
/** How long results of a text are cached, milliseconds. Each text is a query of its own. */
const KEPT_MS = 10_000

/** The search palette: finds instances, clusters, workloads and policies of the whole fleet by name and opens them. The keyboard is enough. */
export function Palette({
  close,
  collectKeys,
  takeText,
}: {
  readonly close: () => void
  /** Collects keys until the field has the focus; returns what ends it. */
  readonly collectKeys: () => () => void
  /** The text that was typed before the field had the focus. */
  readonly takeText: () => string
}) {
  // The field gets the focus a moment after it is rendered.
  useLayoutEffect(collectKeys, [collectKeys])
  const words = useSearchWords()
  const router = useRouter()
  const combobox = useCombobox({ opened: true })
  const { joint } = useWords()
  const [typed, setTyped] = useState('')
  const [text] = useDebouncedValue(typed.trim(), TYPING_MS)
  const isSearching = text.length >= SHORTEST
  const answers = useQueries({
    queries: searched.map(kind => ({
      queryKey: ['search', kind, text],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => search(kind, text, signal),
      enabled: isSearching,
      gcTime: KEPT_MS,
      staleTime: 0,
    })),
  })
  const isBusy = answers.some(({ isFetching }) => isFetching)
  const problem = answers.find(({ error }) => error)?.error
  const groups = searched.flatMap((kind, index) => {
    const data = answers[index]?.data
    return data && data.found.length > 0 ? [{ kind, ...data }] : []
  })
  const unread = [
    ...new Set(answers.flatMap(({ data }: { readonly data?: Results | undefined }) => data?.unread ?? [])),
  ]
  // biome-ignore lint/correctness/useExhaustiveDependencies: new results select their first option
  useEffect(() => {
    if (groups.length > 0) combobox.selectFirstOption()
  }, [text, groups.length])
  return (
    <Dialog onClose={close} title={words.title} size="lg" yOffset="10vh">
      <Combobox
        store={combobox}
        onOptionSubmit={address => {
          close()
          router.history.push(address)
        }}
      >
        <Combobox.EventsTarget>
          <TextInput
            data-autofocus
            aria-label={words.field}
            placeholder={words.field}
            value={typed}
            onFocus={() => {
              const more = takeText()
              setTyped(before => before + more)
            }}
            onChange={({ currentTarget: { value } }) => setTyped(value)}
            // The list handles Escape itself and is always open, so the key would not close the palette.
            onKeyDownCapture={({ key }) => {
              if (key === 'Escape') close()
            }}
            rightSection={isBusy ? <Loader size="xs" aria-label={words.searching} /> : undefined}
          />
        </Combobox.EventsTarget>
        <Combobox.Options mt="sm" mah="50vh" style={{ overflowY: 'auto' }} aria-label={words.title}>
          {groups.map(({ kind, found, total }) => (
            <Combobox.Group key={kind} label={words.groups[kind]}>
              {found.map(each => (
                <Combobox.Option key={addressOf(kind, each)} value={addressOf(kind, each)}>
                  <Group justify="space-between" wrap="nowrap" gap="xs">
                    <Text size="sm" truncate>
                      {each.name}
                    </Text>
                    <Text size="xs">{[each.instance, each.namespace].filter(Boolean).join(' · ')}</Text>
                  </Group>
                </Combobox.Option>
              ))}
              {total > found.length && (
                <Text size="xs" c="dimmed" px="sm">
                  {words.more(total - found.length)}
                </Text>
              )}
            </Combobox.Group>
          ))}
        </Combobox.Options>
      </Combobox>
      {problem && <Problem error={problem} />}
      <Text size="sm" c="dimmed" mt="xs" role="status">
        {!isSearching ? words.hint : !isBusy && groups.length === 0 && !problem ? words.none(text) : ''}
        {unread.length > 0 && words.unread(joint.names(unread))}
      </Text>
    </Dialog>
  )
}
