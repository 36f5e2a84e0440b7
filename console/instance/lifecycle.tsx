import { InstanceStatus_State as State } from '../../proto/gen/kairship/instance_pb.js'
import { stateLooks } from '../parts/state-badge.js'
import { useWords } from '../words/use-words.js'

/** The phases of the state machine (ADR 1) and their positions in the drawing. */
const phases = [
  { name: 'registering', x: 10, y: 20, width: 120 },
  { name: 'virtualClusterSynced', x: 180, y: 20, width: 170 },
  { name: 'ready', x: 400, y: 20, width: 90 },
  { name: 'degraded', x: 540, y: 20, width: 100 },
  { name: 'deleting', x: 290, y: 110, width: 100 },
  { name: 'gone', x: 440, y: 110, width: 80 },
] as const
const HEIGHT = 40

const arrows = [
  'M130 40H176',
  'M350 40H396',
  'M490 34H536',
  'M540 46H494',
  'M265 60V130M70 60V130H286',
  'M445 60V85H340V106',
  'M590 60V85H340V106',
  'M390 130H436',
] as const

/** A drawing of the lifecycle with the current phase highlighted. @param configuration full paths of the current states */
export function Lifecycle({
  configuration,
  state,
}: {
  readonly configuration: readonly string[]
  readonly state: State
}) {
  const { instance, states } = useWords()
  const isCurrent = (name: string) => configuration.some(path => path.split('.').includes(name))
  return (
    <svg
      className="chart"
      viewBox="0 0 650 165"
      role="img"
      aria-label={instance.lifecycleLabel(
        states[(stateLooks[state] ?? stateLooks[State.INSTANCE_STATE_UNKNOWN]).word],
      )}
      width="100%"
      style={{ maxWidth: 760 }}
    >
      <defs>
        <marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0 0L8 4L0 8z" />
        </marker>
      </defs>
      {arrows.map(path => (
        <path key={path} d={path} markerEnd="url(#head)" />
      ))}
      {phases.map(({ name, x, y, width }) => (
        <g key={name} className={isCurrent(name) ? 'current' : undefined}>
          <rect x={x} y={y} width={width} height={HEIGHT} rx="8" />
          <text x={x + width / 2} y={y + HEIGHT / 2 + 4} textAnchor="middle">
            {name}
          </text>
        </g>
      ))}
    </svg>
  )
}
