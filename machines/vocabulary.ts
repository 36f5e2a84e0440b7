import { assign, setup } from 'xstate'
import type { Instance } from '../manifests/instance.js'
import type { InstanceState } from '../ports/fleet.js'
import { isWhole } from './conditions.js'
import { effect, observer } from './effect.js'
import type { ClockEvent, InstanceEvent, OwnObserverEvent } from './events.js'
import {
  exists,
  isClaimed,
  isDeletionAsked,
  isDistinct,
  isSynced,
  mayHaveRoleBindings,
  specProblem,
} from './facts.js'
import { failureIn, isOutOfReach, isRetryable, type Stage } from './failure.js'
import { isDue, observedOf } from './keeping.js'
import { begun, failed, type Knowledge, learned, revised, succeeded } from './knowledge.js'
import { type Assignment, type Keeper, type Step, type Task, untried } from './task.js'

/** What an actor starts with: the CR and whether this replica leads. All else it is told. */
export interface InstanceInput {
  readonly instance: Instance
  readonly leading: boolean
}

/** What a clock actor is asked: report `rest.ended` after about `ms`, or at `until` if that is known. */
export interface RestInput {
  readonly task: Task
  readonly ms: number
  readonly until?: number | undefined
  /** Whether to report `rest.began` before that: somebody may want to know until when. */
  readonly told: boolean
}

/**
 * How often the removal of role bindings from a control plane that is out of reach is tried before it is given up: with
 * calm rests about half a minute, after which an unreachable control plane no longer blocks the deletion. Where none was
 * ever materialized, once is enough.
 */
const REMOVAL_ATTEMPTS = 6

const stages: Record<Task, Stage> = {
  finalizer: 'finalizer',
  installation: 'installation',
  virtualCluster: 'virtual cluster',
  registration: 'registration',
  roleBindings: 'role bindings',
  status: 'status',
  unpublishing: 'registration',
  removingRoleBindings: 'role bindings',
  deletingVirtualCluster: 'virtual cluster',
  uninstalling: 'uninstallation',
  releasing: 'finalizer',
}

/** The words of the chart in `instance.ts`: what its guards ask, what its actions note, which holes it leaves. */
export const instance = setup({
  types: {
    context: {} as Knowledge,
    events: {} as InstanceEvent,
    input: {} as InstanceInput,
    tags: {} as InstanceState | 'acting' | 'resting',
  },
  actors: {
    'follow the credentials': observer<{ name: string }, OwnObserverEvent>(),
    'probe the control plane': observer<{ name: string }, OwnObserverEvent>(),
    'gather the statistics': observer<{ name: string }, OwnObserverEvent>(),
    'measure the index': observer<{ name: string }, OwnObserverEvent>(),
    'watch the role bindings': observer<{ name: string }, OwnObserverEvent>(),
    rest: observer<RestInput, ClockEvent>(),
    'add the finalizer': effect<string, Assignment>('add the finalizer'),
    'install the control plane': effect<string, Assignment>('install the control plane'),
    'ensure the virtual cluster': effect<string, Assignment>('ensure the virtual cluster'),
    'publish the registration': effect<string, Assignment>('publish the registration'),
    'materialize the role bindings': effect<string, Assignment>('materialize the role bindings'),
    'write the status': effect<string, Assignment>('write the status'),
    'withdraw the registration': effect<string, Assignment>('withdraw the registration'),
    'remove the role bindings': effect<string, Assignment>('remove the role bindings'),
    'delete the virtual cluster': effect<string, Assignment>('delete the virtual cluster'),
    'uninstall the control plane': effect<string, Assignment>('uninstall the control plane'),
    'remove the finalizer': effect<string, Assignment>('remove the finalizer'),
  },
  actions: {
    learn: assign(({ context, event }) => learned(context, event)),
    'note the phase': assign(({ context }, phase: InstanceState) => revised(context, { phase })),
    begin: assign(({ context }, task: Task) => begun(context, task)),
    succeed: assign(({ context }, { task, outcome }: { task: Task; outcome: string }) =>
      succeeded(context, task, outcome),
    ),
    fail: assign(({ context }, { task, error }: { task: Task; error: unknown }) =>
      failed(context, task, failureIn(error, stages[task])),
    ),
  },
  guards: {
    leading: ({ context }) => context.leading,
    'was ready': ({ context: { instance } }) =>
      instance.status?.phase === 'Ready' || instance.status?.phase === 'Degraded',
    'deletion is asked': ({ context }) => isDeletionAsked(context.instance),
    'is accepted': ({ context: { instance } }) => !specProblem(instance) && isClaimed(instance),
    'is installing': ({ context: { instance, facts } }) =>
      instance.spec?.install !== undefined && !facts.credentials?.ok,
    'has credentials': ({ context }) => context.facts.credentials?.ok === true,
    'has an elder': ({ context }) => context.facts.duplicate?.elder !== undefined,
    'has a virtual cluster': ({ context: { facts } }) =>
      facts.controlPlane?.ok === true && isDistinct(facts) && exists(facts.virtualCluster),
    'is synced': ({ context: { facts } }) => isSynced(facts),
    'is whole': ({ context }) => isWhole(context),
    'has statistics to gather': ({ context: { leading, facts } }) =>
      leading && facts.controlPlane?.ok === true && isDistinct(facts),
    'has an index to measure': ({ context: { facts } }) =>
      facts.controlPlane?.ok === true && isDistinct(facts) && isSynced(facts),
    'has come up untold': ({ context: { phase, instance } }, keeper: Keeper) =>
      keeper === 'status' && phase === 'ready' && instance.status?.phase !== 'Ready',
    'is due': ({ context }, keeper: Keeper) => isDue(context, keeper),
    'is confirmed': ({ context }, keeper: Keeper) =>
      !isDue(context, keeper) || context.work[keeper]?.outcome === observedOf(context, keeper),
    'is wanted': ({ context }, keeper: Keeper) => context.wanted[keeper] !== undefined,
    'wants something else by now': ({ context }, keeper: Keeper) =>
      context.wanted[keeper] !== context.work[keeper]?.tried,
    'has rested': ({ context: { work } }, task: Task) => {
      const { rested, failure } = work[task] ?? untried
      return rested === true && (failure === undefined || isRetryable(failure))
    },
    'uninstall is asked': ({ context: { instance } }) =>
      instance.spec?.install !== undefined && instance.spec.deletionPolicy === 'Delete',
    'is given up': ({ context: { instance, work } }, step: Step) => {
      const { attempts, failure } = work[step] ?? untried
      const enough = mayHaveRoleBindings(instance) ? REMOVAL_ATTEMPTS : 1
      return attempts >= enough && failure !== undefined && isOutOfReach(failure)
    },
  },
})
