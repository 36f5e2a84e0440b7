import { canonical, sameText } from '../canonical.js'
import type { Failure } from '../failure.js'
import type { InstanceContext } from './context.js'
import type { InstanceEvent } from './events.js'
import type { Facts } from './facts.js'
import { judgedAs } from './requirements.js'
import { type Reconciler, type Task, untried, type Work } from './task.js'
import { wantedOf } from './wanted.js'

/** A context with some parts replaced, and what follows from them computed again. */
export function revised(context: InstanceContext, parts: Partial<InstanceContext>): InstanceContext {
  const next = { ...context, ...parts }
  next.wanted = wantedOf(next)
  return next
}

/**
 * Pure: whether what a watch on the host shows differs from what is in the context. Owners write into their objects' status
 * all the time; an event that would change nothing need not be sent to the actor.
 */
export function isNews(context: InstanceContext, event: InstanceEvent): boolean {
  switch (event.type) {
    case 'installation.observed':
    case 'virtualCluster.observed':
    case 'registration.observed':
    case 'roleBindings.observed':
    case 'host.contactMade': {
      const [before, after] = [context.facts, factsAfter(context.facts, event)]
      return (Object.keys(after) as (keyof Facts)[]).some(
        fact => before[fact] !== after[fact] && canonical(before[fact]) !== canonical(after[fact]),
      )
    }
    default:
      return true
  }
}

/** Pure: the context after an event. The only place where facts enter it; what follows from them, the chart's guards say. */
export function reduceFact(context: InstanceContext, event: InstanceEvent): InstanceContext {
  switch (event.type) {
    case 'instance.observed':
      return revised(context, { instance: event.instance })
    case 'instance.removed':
      return context
    case 'leadership.gained':
      return revised(context, { leading: true })
    case 'leadership.lost':
      // Another replica acts from now on. What this one did last says nothing about what is there when it leads again.
      return revised(context, { leading: false, work: {} })
    case 'rest.began':
      return withRest(context, event.task, { until: event.until })
    case 'rest.ended':
      return withRest(context, event.task, { rested: true })
    default:
      return revised(context, {
        facts: factsAfter(context.facts, event, knownControlPlaneID(context)),
        work: invalidatesRbacInside(event) ? without(context.work, 'roleBindings') : context.work,
      })
  }
}

const knownControlPlaneID = ({ facts: { controlPlane }, instance }: InstanceContext): string | undefined =>
  controlPlane?.ok ? controlPlane.id : instance.status?.controlPlaneID

type FactEvent = Exclude<
  InstanceEvent,
  { type: `instance.${string}` } | { type: `leadership.${string}` } | { type: `rest.${string}` }
>

/** @param knownID the control plane that is known at this moment: a verdict about duplicates holds for it, and for no other */
function factsAfter(facts: Facts, event: FactEvent, knownID?: string): Facts {
  switch (event.type) {
    case 'credentials.observed':
      return { ...facts, credentials: event.credentials }
    case 'controlPlane.probed': {
      const { controlPlane, aggregatedApi, fingerprint } = event
      return { ...facts, controlPlane, aggregatedApi, ...(controlPlane.ok && { reachedWith: fingerprint }) }
    }
    case 'controlPlane.contactLost':
      return without(
        facts,
        'controlPlane',
        'reachedWith',
        'aggregatedApi',
        'index',
        'statistics',
        'impersonation',
      )
    case 'index.measured':
      return { ...facts, index: event.index }
    case 'roleBindings.rbacChanged':
      return facts
    case 'impersonation.answered':
      return { ...facts, impersonation: event.impersonation }
    case 'statistics.observed':
      return { ...facts, statistics: event.statistics }
    case 'duplicate.observed':
      if (event.undecided) return without(facts, 'duplicate')
      return {
        ...facts,
        duplicate: {
          ...(event.first && { first: event.first }),
          ...(knownID !== undefined && { of: knownID }),
        },
      }
    case 'installation.observed':
      return { ...facts, installation: event.installation }
    case 'virtualCluster.observed':
      return { ...facts, virtualCluster: event.virtualCluster }
    case 'registration.observed':
      return { ...facts, registration: event.registration }
    case 'roleBindings.observed':
      return { ...facts, roleBindings: event.roleBindings }
    case 'host.contactLost':
      return { ...without(facts, event.of), silence: { ...facts.silence, [event.of]: event.failure } }
    case 'host.contactMade':
      return { ...facts, silence: without(facts.silence ?? {}, event.of) }
  }
}

/** What changes inside a control plane while contact is lost is not seen: what was made there is made again. */
const invalidatesRbacInside = (event: FactEvent): boolean =>
  event.type === 'controlPlane.contactLost' ||
  event.type === 'roleBindings.rbacChanged' ||
  (event.type === 'controlPlane.probed' && !event.controlPlane.ok)

function without<T extends object>(whole: T, ...names: readonly (keyof T)[]): T {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => !names.includes(name as keyof T))) as T
}

/**
 * A context in which a task goes on. What is wanted and how the instance stands follow from its failures and its outcome alone, so
 * they are computed again only where one of these changed: rests begin and end as often as everything else together.
 */
function withWork(context: InstanceContext, task: Task, work: Work): InstanceContext {
  const before = context.work[task] ?? untried
  const parts = { work: { ...context.work, [task]: work } }
  return before.attempts === work.attempts &&
    before.failure === work.failure &&
    before.outcome === work.outcome
    ? judgedAs({ ...context, ...parts }, context)
    : revised(context, parts)
}

const withRest = (context: InstanceContext, task: Task, rest: Partial<Work>): InstanceContext =>
  withWork(context, task, { ...(context.work[task] ?? untried), ...rest })

/** A task starts. What it left behind last time does not count any more. */
export const begun = (context: InstanceContext, task: Task): InstanceContext => {
  const { attempts, failure } = context.work[task] ?? untried
  const tried = context.wanted[task as Reconciler] ?? ''
  return withWork(context, task, { attempts, tried, ...(failure && { failure }) })
}

/** A task succeeded and left `outcome` behind. */
export const succeeded = (context: InstanceContext, task: Task, outcome: string): InstanceContext => {
  const { tried = '' } = context.work[task] ?? untried
  return withWork(context, task, { attempts: 0, tried, outcome: sameText(tried, outcome) })
}

/** A task failed, once more. */
export const failed = (context: InstanceContext, task: Task, failure: Failure): InstanceContext => {
  const { attempts, tried = '' } = context.work[task] ?? untried
  return withWork(context, task, { attempts: attempts + 1, tried, failure })
}
