import { Badge } from '@mantine/core'
import { InstanceStatus_State as State } from '../../proto/gen/kairship/instance_pb.js'
import { useWords } from '../words/use-words.js'
import { Dot } from './dot.js'

/** The colours of an instance's states, and their names in `words.states`. */
export const stateLooks = {
  [State.INSTANCE_STATE_RUNNING]: { word: 'RUNNING', color: 'green' },
  [State.INSTANCE_STATE_INPROCESS]: { word: 'INPROCESS', color: 'blue' },
  [State.INSTANCE_STATE_UNAVAILABLE]: { word: 'UNAVAILABLE', color: 'red' },
  [State.INSTANCE_STATE_TERMINAL]: { word: 'TERMINAL', color: 'gray' },
  [State.INSTANCE_STATE_UNKNOWN]: { word: 'UNKNOWN', color: 'gray' },
  [State.INSTANCE_STATE_UNSPECIFIED]: { word: 'UNKNOWN', color: 'gray' },
} as const

/** An instance's state as a coloured badge. */
export function StateBadge({ state }: { readonly state: State }) {
  const { states } = useWords()
  const { word, color } = stateLooks[state] ?? stateLooks[State.INSTANCE_STATE_UNKNOWN]
  return (
    <Badge variant="default" size="lg" tt="none" miw="max-content" leftSection={<Dot color={color} />}>
      {states[word]}
    </Badge>
  )
}
