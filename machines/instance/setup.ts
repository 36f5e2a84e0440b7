import { assign, setup } from 'xstate'
import type { Instance } from '../../manifests/instance.js'
import type { InstanceState } from '../../ports/fleet.js'
import { effect, observer } from '../effect.js'
import { type Failure, failureIn, isOutOfReach, isRetryable, type Stage } from '../failure.js'
import { mayGather } from './coming-up.js'
import type { InstanceContext } from './context.js'
import type { ClockEvent, InstanceEvent, OwnObserverEvent } from './events.js'
import {
  exists,
  isClaimed,
  isDeletionRequested,
  isDistinct,
  isKarmada,
  isSynced,
  mayHaveRoleBindings,
  specProblem,
} from './facts.js'
import { begun, failed, reduceFact, revised, succeeded } from './reduce-fact.js'
import { isWhole } from './requirements.js'
import { type Assignment, type Reconciler, type Task, type TeardownStep, untried } from './task.js'
import { isDue, observedOf } from './wanted.js'

/** What an actor starts with: the CR and whether this replica leads. Everything else comes with events. */
export interface InstanceInput {
  readonly instance: Instance
  readonly leading: boolean
}

/** Input of a clock actor: it reports `rest.ended` after about `ms`. */
export interface RestInput {
  readonly task: Task
  readonly ms: number
  /** Whether it reports `rest.began` first, so that people see until when it rests. */
  readonly announce: boolean
}

/**
 * How often a teardown step that can never succeed is tried before it is given up: with calm rests about half a minute,
 * which is longer than the restart of an API server.
 */
const GIVE_UP_AFTER = 6

/** The type is not known there, or what answers is no Kubernetes API: there is nothing that could be deleted. */
const isNotServed = ({ reason }: Failure): boolean => reason === 'NotServed'

/** Failures with which a teardown step is given up. All others are tried until they are mended. */
const givesUpOn: Record<TeardownStep, (failure: Failure) => boolean> = {
  unpublishing: isNotServed,
  removingRoleBindings: failure => isOutOfReach(failure) || isNotServed(failure),
  deletingVirtualCluster: isNotServed,
  uninstalling: isNotServed,
  releasing: () => false,
}

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

/** The words of the chart in `instance.ts`: what its guards ask, what its actions note, which effects it needs. */
export const instance = setup({
  types: {
    context: {} as InstanceContext,
    events: {} as InstanceEvent,
    input: {} as InstanceInput,
    tags: {} as InstanceState | 'acting',
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
    'reduce the fact': assign(({ context, event }) => reduceFact(context, event)),
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
    'deletion is requested': ({ context }) => isDeletionRequested(context.instance),
    'is accepted': ({ context: { instance } }) => !specProblem(instance) && isClaimed(instance),
    'is installing': ({ context: { instance, facts } }) =>
      instance.spec?.install !== undefined && !facts.credentials?.ok,
    'has credentials': ({ context }) => context.facts.credentials?.ok === true,
    'is a duplicate': ({ context }) => context.facts.duplicate?.first !== undefined,
    'has a virtual cluster': ({ context: { facts } }) => isDistinct(facts) && exists(facts.virtualCluster),
    'is synced': ({ context: { facts } }) => isSynced(facts),
    'is whole': ({ context }) => isWhole(context),
    'has statistics to gather': ({ context: { leading, facts } }) =>
      leading && isDistinct(facts) && isKarmada(facts),
    'has an index to measure': ({ context: { facts } }) =>
      isDistinct(facts) && isKarmada(facts) && isSynced(facts),
    'is ready but not yet reported': ({ context: { phase, instance } }, reconciler: Reconciler) =>
      reconciler === 'status' && phase === 'ready' && instance.status?.phase !== 'Ready',
    'is due': ({ context }, reconciler: Reconciler) => isDue(context, reconciler),
    'may gather': ({ context }, reconciler: Reconciler) => mayGather(context, reconciler),
    'is confirmed': ({ context }, reconciler: Reconciler) =>
      !isDue(context, reconciler) || context.work[reconciler]?.outcome === observedOf(context, reconciler),
    'is seen already': ({ context, event }, reconciler: Reconciler) =>
      (event as { readonly output?: unknown }).output === observedOf(context, reconciler),
    'is wanted': ({ context }, reconciler: Reconciler) => context.wanted[reconciler] !== undefined,
    'wants something else by now': ({ context }, reconciler: Reconciler) =>
      context.wanted[reconciler] !== context.work[reconciler]?.tried,
    'has rested': ({ context: { work } }, task: Task) => {
      const { rested, failure } = work[task] ?? untried
      return rested === true && (failure === undefined || isRetryable(failure))
    },
    'uninstall is requested': ({ context: { instance } }) =>
      instance.spec?.install !== undefined && instance.spec.deletionPolicy === 'Delete',
    'is given up': ({ context: { instance, work } }, step: TeardownStep) => {
      const { attempts, failure } = work[step] ?? untried
      // Where no role binding was ever materialized, once is enough.
      const enough = step === 'removingRoleBindings' && !mayHaveRoleBindings(instance) ? 1 : GIVE_UP_AFTER
      return attempts >= enough && failure !== undefined && givesUpOn[step](failure)
    },
  },
})
