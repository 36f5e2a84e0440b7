import type { Instance } from '../manifests/instance.js'
import type { InstanceState } from '../ports/fleet.js'
import { canonical } from './canonical.js'
import type { InstanceEvent } from './events.js'
import type { Facts } from './facts.js'
import type { Failure } from './failure.js'
import { type Wanted, wantedOf } from './keeping.js'
import { type Keeper, type Task, untried, type Work } from './task.js'

/** All that one instance actor knows: its context. */
export interface Knowledge {
  readonly name: string
  /** The CR as last observed. */
  readonly instance: Instance
  /** Whether this replica acts, as the supervisor last said. */
  readonly leading: boolean
  /** The public state that the chart is in, for the status; the chart is the truth and an invariant holds the two together. */
  readonly phase: InstanceState
  readonly facts: Facts
  readonly work: Partial<Record<Task, Work>>
  /** What should be, given all of the above. */
  readonly wanted: Wanted
}

/** Knowledge with some parts replaced, and what follows from them drawn again. */
export function revised(knowledge: Knowledge, parts: Partial<Knowledge>): Knowledge {
  const next = { ...knowledge, ...parts }
  next.wanted = wantedOf(next)
  return next
}

/**
 * Pure: whether what a watch on the host shows is not known yet. Owners write into their objects' status all the time; what
 * says the same to us need not be told to a chart at all.
 */
export function isNews(knowledge: Knowledge, event: InstanceEvent): boolean {
  switch (event.type) {
    case 'installation.observed':
    case 'virtualCluster.observed':
    case 'registration.observed':
    case 'roleBindings.observed':
    case 'host.contactMade': {
      const [before, after] = [knowledge.facts, taught(knowledge.facts, event)]
      return (Object.keys(after) as (keyof Facts)[]).some(
        fact => before[fact] !== after[fact] && canonical(before[fact]) !== canonical(after[fact]),
      )
    }
    default:
      return true
  }
}

/** Pure: what an event adds to what is known. The only place where facts enter; what follows, the chart's guards say. */
export function learned(knowledge: Knowledge, event: InstanceEvent): Knowledge {
  switch (event.type) {
    case 'instance.observed':
      return revised(knowledge, { instance: event.instance })
    case 'instance.removed':
      return knowledge
    case 'leadership.gained':
      return revised(knowledge, { leading: true })
    case 'leadership.lost':
      // Another replica acts from now on; what we did last says nothing about what will be there when we lead again.
      return revised(knowledge, { leading: false, work: {} })
    case 'rest.began':
      return reworked(knowledge, event.task, { until: event.until, rested: false })
    case 'rest.ended':
      return reworked(knowledge, event.task, { rested: true })
    default:
      return revised(knowledge, {
        facts: taught(knowledge.facts, event),
        work: losesTheInside(event) ? without(knowledge.work, 'roleBindings') : knowledge.work,
      })
  }
}

type FactEvent = Exclude<
  InstanceEvent,
  { type: `instance.${string}` } | { type: `leadership.${string}` } | { type: `rest.${string}` }
>

function taught(facts: Facts, event: FactEvent): Facts {
  switch (event.type) {
    case 'credentials.observed':
      return { ...facts, credentials: event.credentials }
    case 'controlPlane.probed':
      return { ...facts, controlPlane: event.controlPlane, aggregatedApi: event.aggregatedApi }
    case 'controlPlane.contactLost':
      return without(facts, 'controlPlane', 'aggregatedApi', 'index', 'statistics')
    case 'index.measured':
      return { ...facts, index: event.index }
    case 'roleBindings.disturbed':
      return facts
    case 'statistics.observed':
      return { ...facts, statistics: event.statistics }
    case 'duplicate.observed':
      if (event.undecided) return without(facts, 'duplicate')
      return { ...facts, duplicate: event.elder ? { elder: event.elder } : {} }
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

/** What happens inside a control plane while we are not in contact, we do not see: what we made there is made anew. */
const losesTheInside = (event: FactEvent): boolean =>
  event.type === 'controlPlane.contactLost' ||
  event.type === 'roleBindings.disturbed' ||
  (event.type === 'controlPlane.probed' && !event.controlPlane.ok)

function without<T extends object>(whole: T, ...names: readonly (keyof T)[]): T {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => !names.includes(name as keyof T))) as T
}

const reworked = (knowledge: Knowledge, task: Task, change: Partial<Work>): Knowledge =>
  revised(knowledge, {
    work: { ...knowledge.work, [task]: { ...(knowledge.work[task] ?? untried), ...change } },
  })

/** A task starts. What it left behind last time no longer counts. */
export const begun = (knowledge: Knowledge, task: Task): Knowledge => {
  const { attempts, failure } = knowledge.work[task] ?? untried
  const tried = knowledge.wanted[task as Keeper] ?? ''
  const work: Work = { attempts, tried, ...(failure && { failure }) }
  return revised(knowledge, { work: { ...knowledge.work, [task]: work } })
}

/** A task succeeded and left `outcome` behind. */
export const succeeded = (knowledge: Knowledge, task: Task, outcome: string): Knowledge => {
  const { tried = '' } = knowledge.work[task] ?? untried
  return revised(knowledge, { work: { ...knowledge.work, [task]: { attempts: 0, tried, outcome } } })
}

/** A task failed, once more. */
export const failed = (knowledge: Knowledge, task: Task, failure: Failure): Knowledge => {
  const { attempts, tried = '' } = knowledge.work[task] ?? untried
  return revised(knowledge, {
    work: { ...knowledge.work, [task]: { attempts: attempts + 1, tried, failure } },
  })
}
