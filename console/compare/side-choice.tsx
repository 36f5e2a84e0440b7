import { Fieldset, Group, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { instances } from '../connection/instance-service.js'
import { useClusterNames } from '../instance/names.js'
import { useCompareWords } from '../words/compare.js'
import type { Side } from './side.js'

/** The most names to choose from. */
const MOST_NAMES = 500
/** The value of the control plane. No cluster can have this name. */
const CONTROL_PLANE = '/'

/** A select for a control plane or one of its members. */
export function SideChoice({
  label,
  side,
  change,
}: {
  readonly label: string
  readonly side: Side | undefined
  readonly change: (side: Side) => void
}) {
  const words = useCompareWords()
  const instance = side?.instance
  const all = useQuery({
    queryKey: ['compared instances'],
    queryFn: async ({ signal }) => {
      const { items } = await instances.listInstances({ pageSize: MOST_NAMES }, { signal })
      return items.map(({ metadata }) => metadata?.name ?? '')
    },
    staleTime: 0,
  })
  const members = useClusterNames(instance)
  const names = [...new Set([...(all.data ?? []), ...(instance === undefined ? [] : [instance])])]
  const inside = [...new Set([...members, ...(side?.cluster ? [side.cluster] : [])])]
  return (
    <Fieldset legend={label}>
      <Group grow>
        <Select
          label={words.instance}
          searchable
          allowDeselect={false}
          data={names}
          value={instance ?? null}
          onChange={next => {
            if (next !== null) change({ instance: next })
          }}
        />
        <Select
          label={words.inside}
          searchable
          allowDeselect={false}
          disabled={instance === undefined}
          data={[{ value: CONTROL_PLANE, label: words.controlPlane }, ...inside]}
          value={side?.cluster ?? CONTROL_PLANE}
          onChange={next => {
            if (instance === undefined || next === null) return
            change(next === CONTROL_PLANE ? { instance } : { instance, cluster: next })
          }}
        />
      </Group>
    </Fieldset>
  )
}
