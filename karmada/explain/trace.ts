import { targetsOf } from '../propagation/work-of.js'
import { bindingLink, schedulingLink } from './binding-link.js'
import { type Link, type LinkedObject, nameOf } from './link.js'
import { memberLink } from './member-link.js'
import { policyLink } from './policy-link.js'
import type { Propagated } from './propagated.js'
import { templateLink } from './template-link.js'
import { workLink } from './work-link.js'

/** The way of one template into its members. */
export interface Trace {
  /** In order; after the first broken step of the control plane there are none. */
  readonly links: readonly Link[]
  /** The first link that is broken, else the first that waits or is unknown. Absent: everything is where it should be. */
  readonly first?: Link
}

/**
 * Follows a template from the control plane into its members (template → policy → binding → scheduling, then for each
 * cluster work → object) and says at which step it stands, and what most likely helps. Pure: it reads only what it is given.
 */
export function trace(propagated: Propagated): Trace {
  const links: Link[] = []
  for (const { step, check } of ofControlPlane) {
    const found = { step, ...check(propagated) }
    links.push(found)
    // What comes later was made of an earlier state, and would mislead.
    if (found.state === 'Broken') return { links, first: found }
  }
  for (const { name } of propagated.binding ? targetsOf(propagated.binding) : []) {
    const work: Link = { step: 'Work', cluster: name, ...workLink(propagated, name) }
    links.push(work)
    if (work.state === 'Done') links.push({ step: 'Member', cluster: name, ...memberLink(propagated, name) })
  }
  const first = links.find(({ state }) => state === 'Broken') ?? links.find(({ state }) => state !== 'Done')
  return { links, ...(first && { first }) }
}

const ofControlPlane = [
  { step: 'Template', check: templateLink },
  { step: 'Policy', check: policyLink },
  { step: 'Binding', check: bindingLink },
  { step: 'Scheduling', check: schedulingLink },
] as const

/** One sentence for the whole of it. */
export function summaryOf({ links, first }: Trace, wanted: LinkedObject): string {
  if (first) {
    const where = first.cluster === undefined ? '' : ` in cluster ${first.cluster}`
    return `${first.step}${where}: ${first.message}`
  }
  const clusters = links.filter(({ step }) => step === 'Member').length
  return `${nameOf(wanted)} runs as wanted in ${clusters} ${clusters === 1 ? 'cluster' : 'clusters'}.`
}
