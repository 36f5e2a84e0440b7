import { Group, NativeSelect, Switch } from '@mantine/core'
import { withField } from '../tables/list-search.js'
import { useLogWords } from '../words/logs.js'
import { type LogSearch, TAIL } from './log-search.js'
import type { useLogPlaces } from './use-log-places.js'

/** Fields for what a log reads: cluster, container, number of lines, following; and whether long lines wrap. */
export function LogFilters({
  search,
  change,
  places,
  wrap,
  setWrap,
}: {
  readonly search: LogSearch
  readonly change: (search: LogSearch) => void
  readonly places: ReturnType<typeof useLogPlaces>
  readonly wrap: boolean
  readonly setWrap: (wrap: boolean) => void
}) {
  const words = useLogWords()
  const { cluster, container, previous, follow, tail = TAIL } = search
  return (
    <Group align="flex-end" gap="sm">
      <NativeSelect
        label={words.cluster}
        value={cluster ?? ''}
        onChange={({ currentTarget: { value } }) => change(withField(search, 'cluster', value || undefined))}
        data={[{ value: '', label: words.all }, ...places.clusters]}
      />
      <NativeSelect
        label={words.container}
        value={container ?? ''}
        onChange={({ currentTarget: { value } }) =>
          change(withField(search, 'container', value || undefined))
        }
        data={[{ value: '', label: words.all }, ...places.containers]}
      />
      <NativeSelect
        label={words.tail}
        value={String(tail)}
        onChange={({ currentTarget: { value } }) =>
          change(withField(search, 'tail', Number(value) === TAIL ? undefined : Number(value)))
        }
        data={[
          ...[TAIL, 1_000, 5_000].map(n => ({ value: String(n), label: words.tailOf(n) })),
          { value: '0', label: words.tailAll },
        ]}
      />
      <Switch
        label={words.follow}
        checked={follow !== false && !previous}
        disabled={previous === true}
        onChange={({ currentTarget: { checked } }) =>
          change(withField(search, 'follow', checked ? undefined : false))
        }
      />
      <Switch
        label={words.previous}
        checked={previous === true}
        onChange={({ currentTarget: { checked } }) =>
          change(withField(search, 'previous', checked || undefined))
        }
      />
      <Switch
        label={words.wrap}
        checked={wrap}
        onChange={({ currentTarget: { checked } }) => setWrap(checked)}
      />
    </Group>
  )
}
