import { Badge } from '@mantine/core'
import { WorkloadState as State } from '../../proto/gen/kairship/types_pb.js'
import { Dot } from '../parts/dot.js'
import { useWords } from '../words/use-words.js'

const looks = {
  [State.UNSPECIFIED]: { word: 'waiting', color: 'gray' },
  [State.RUNNING]: { word: 'running', color: 'green' },
  [State.DELETING]: { word: 'deleting', color: 'gray' },
  [State.NOT_READY]: { word: 'notReady', color: 'red' },
  [State.STOPPED]: { word: 'stopped', color: 'gray' },
  [State.WAITING]: { word: 'waiting', color: 'blue' },
} as const

/** A workload's state over all its clusters. */
export function WorkloadStateBadge({ state }: { readonly state: State }) {
  const { workloads } = useWords()
  const { word, color } = looks[state] ?? looks[State.UNSPECIFIED]
  return (
    <Badge variant="default" tt="none" leftSection={<Dot color={color} />}>
      {workloads.states[word]}
    </Badge>
  )
}
