import { initialTransition, transition } from 'xstate'
import { conditionsOf } from '../../../machines/instance/conditions.js'
import type { InstanceEvent } from '../../../machines/instance/events.js'
import { instanceMachine } from '../../../machines/instance/instance.js'
import { brokenClaims, type InstanceSnapshot } from '../../../machines/instance/invariants.js'
import type { Assignment, Task } from '../../../machines/instance/task.js'
import { type FactName, facts, instance } from './facts.js'

/** How an effect or a rest ended. */
type ActorEnd = { readonly type: `xstate.${string}`; readonly actorId: string }
/** A fact by its name, or any event. */
export type Step = FactName | InstanceEvent | ActorEnd

/** The effect of a task succeeded and left this outcome behind. */
export const done = (task: Task, output: string): ActorEnd & { readonly output: string } => ({
  type: `xstate.done.actor.${task}.effect`,
  actorId: `${task}.effect`,
  output,
})
/** The effect of a task failed. */
export const fails = (task: Task, reason = 'Unavailable'): ActorEnd & { readonly error: Error } => ({
  type: `xstate.error.actor.${task}.effect`,
  actorId: `${task}.effect`,
  error: Object.assign(new Error(), { failure: { reason, stage: 'status', message: `${task}: ${reason}` } }),
})
/** The timer of a task ended. */
export const rested = (task: Task): InstanceEvent => ({ type: 'rest.ended', task })

/** An actor that the chart started. */
interface Started {
  readonly src: string
  readonly input: Partial<Assignment> & {
    readonly task?: Task
    readonly ms?: number
    readonly announce?: boolean
  }
}

/** The chart after some steps, and what the last of them started and stopped; no actor runs. */
export interface Walked {
  readonly snapshot: InstanceSnapshot
  readonly started: readonly Started[]
  /** Ids of the actors that the last step stopped. */
  readonly stopped: readonly string[]
  /** The names of the effects that the last step started, without the writing of the status. */
  readonly work: readonly string[]
  /** The state that a region is in, e.g. `resting`. */
  region(name: string): unknown
  condition(type: string): ReturnType<typeof conditionsOf>[number] | undefined
}

type Actions = readonly { readonly type: string; readonly params?: unknown }[]

/** Walks the chart from a CR by facts and ends of effects. Every claim about an instance holds after each step. */
export function walked(
  { leading = true, ...cr }: Parameters<typeof instance>[0] & { leading?: boolean },
  ...steps: Step[]
): Walked {
  let [snapshot, actions] = initialTransition(instanceMachine, { instance: instance(cr), leading }) as [
    InstanceSnapshot,
    Actions,
  ]
  for (const step of steps) {
    const event = (typeof step === 'string' ? facts[step] : step) as InstanceEvent
    ;[snapshot, actions] = transition(instanceMachine, snapshot, event) as [InstanceSnapshot, Actions]
    const [broken] = brokenClaims(snapshot)
    if (broken) throw new Error(broken)
  }
  const started = actions.flatMap(({ type, params }) =>
    type === 'xstate.spawnChild' ? [params as Started] : [],
  )
  const value = snapshot.value as { managed?: Record<string, unknown>; deleting?: Record<string, unknown> }
  return {
    snapshot,
    started,
    stopped: actions.flatMap(({ type, params }) =>
      type === 'xstate.stopChild' ? [(params as { id: string }).id] : [],
    ),
    work: started.map(({ src }) => src).filter(src => effects.includes(src) && src !== 'write the status'),
    region: name => (value.managed ?? value.deleting)?.[name],
    condition: type => conditionsOf(snapshot.context).find(condition => condition.type === type),
  }
}

const effects: readonly string[] = [
  ...[
    'add the finalizer',
    'install the control plane',
    'ensure the virtual cluster',
    'publish the registration',
  ],
  ...[
    'materialize the role bindings',
    'write the status',
    'withdraw the registration',
    'remove the role bindings',
  ],
  ...['delete the virtual cluster', 'uninstall the control plane', 'remove the finalizer'],
]

/** The facts that lead to a control plane that is reached, and this instance's alone; nothing was made yet. */
export const reached: readonly FactName[] = [
  ...(['unregistered', 'resolved', 'healthy', 'distinct', 'noVirtualCluster'] as const),
]
/** The facts with which an instance is ready. */
export const whole: readonly FactName[] = ['resolved', 'healthy', 'distinct', 'synced', 'registered']
