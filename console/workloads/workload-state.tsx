import { Badge } from '@mantine/core'
import { Dot } from '../parts/dot.js'
import { useWords } from '../words/use-words.js'
import type { WorkloadState } from './workload.js'

const colors: Readonly<Record<WorkloadState, string>> = {
  running: 'green',
  completed: 'green',
  notReady: 'red',
  failed: 'red',
  waiting: 'blue',
  stopped: 'gray',
  deleting: 'gray',
}

/** A workload's state over all its clusters. */
export function WorkloadStateBadge({ state }: { readonly state: WorkloadState }) {
  const { workloads } = useWords()
  return (
    <Badge variant="default" tt="none" miw="max-content" leftSection={<Dot color={colors[state]} />}>
      {workloads.states[state]}
    </Badge>
  )
}
