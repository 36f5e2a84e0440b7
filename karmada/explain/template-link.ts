import { mayBePropagated } from '../matching/propagated.js'
import { broken, done, type Finding, linkTo, nameOf, waiting } from './link.js'
import type { Propagated } from './propagated.js'

/** Whether there is a template that policies may select. */
export function templateLink({ wanted, template }: Propagated): Finding {
  if (!template)
    return broken(
      'TemplateNotFound',
      `The control plane has no ${nameOf(wanted)}.`,
      'Apply it to the instance. An object that only a member has can be promoted.',
      wanted,
    )
  const object = linkTo(template)
  if (template.metadata.deletionTimestamp)
    return waiting(
      'TemplateDeleting',
      `${nameOf(object)} is being deleted, and its members’ objects with it.`,
      object,
    )
  if (!mayBePropagated(template))
    return broken(
      'NeverPropagated',
      `Karmada propagates no ${template.kind} of this namespace: it is its own, or claimed by something other than policies.`,
      'Use another namespace; kube-*, karmada-* and Karmada’s own types stay in the control plane.',
      object,
    )
  return done('TemplateFound', `${nameOf(object)} is in the control plane.`, object)
}
