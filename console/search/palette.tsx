import { Combobox, Group, Loader, Text, TextInput, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQueries } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useLayoutEffect, useState } from 'react'
import { Problem } from '../failures/problem.js'
import { useSearchWords } from '../words/search.js'
import { Dialog } from '../writes/dialog.js'
import { addressOf, type Results, search, searched } from './fleet-search.js'

/** A reader who types is not asked for at each letter, milliseconds. */
const TYPING_MS = 200
/** Fewer characters match nearly everything. */
const SHORTEST = 2
/** Results of a text are kept so long, milliseconds: each text is another query. */
const KEPT_MS = 10_000

/** Finds instances, clusters, workloads and policies of the whole fleet by their names, and goes to them; with the keyboard alone. */
export function Palette({
  close,
  coming,
  typedAhead,
}: {
  readonly close: () => void
  /** Begins taking keys for the field; returns what ends it. */
  readonly coming: () => () => void
  /** What was typed before its field was there. */
  readonly typedAhead: () => string
}) {
  // The field has the focus a moment after it is drawn.
  useLayoutEffect(coming, [coming])
  const words = useSearchWords()
  const router = useRouter()
  const combobox = useCombobox({ opened: true })
  const [typed, setTyped] = useState('')
  const [text] = useDebouncedValue(typed.trim(), TYPING_MS)
  const isAsked = text.length >= SHORTEST
  const answers = useQueries({
    queries: searched.map(kind => ({
      queryKey: ['search', kind, text],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => search(kind, text, signal),
      enabled: isAsked,
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: other results are the reason to choose their first
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
              const more = typedAhead()
              setTyped(before => before + more)
            }}
            onChange={({ currentTarget: { value } }) => setTyped(value)}
            // The list would take the key for itself, and it is always open.
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
        {!isAsked ? words.hint : !isBusy && groups.length === 0 && !problem ? words.none(text) : ''}
        {unread.length > 0 && words.unread(unread.join(', '))}
      </Text>
    </Dialog>
  )
}
