import type { PolicyRule } from '../../../karmada/rbac/policy-rule.js'
import type { RbacSubject } from '../../../karmada/rbac/subject.js'
import type { RbacGrant } from '../../../karmada/rbac/walk.js'

/** A link of the way from a user to an object, in the order of the way. */
export type Step = 'Lock' | 'Workspace' | 'Binding' | 'Kairship' | 'ControlPlane' | 'Impersonation' | 'Member'

/** How a link stands. One that is not needed is missing, but another gives the same. */
export type LinkState = 'Found' | 'Missing' | 'Unknown' | 'NotNeeded'

/** A binding that includes the request. */
export interface Grant {
  readonly subject: RbacSubject
  readonly binding: { readonly kind: string; readonly namespace?: string; readonly name: string }
  readonly role: { readonly kind: string; readonly name: string }
  readonly aggregatedFrom?: string
  /** Absent of a role of Kairship's. */
  readonly rule?: PolicyRule
}

/** One link, with what helps where it is missing. */
export interface AccessLink {
  readonly step: Step
  readonly state: LinkState
  /** One CamelCase word that stays the same from version to version. */
  readonly reason: string
  readonly message: string
  /** The part of the message that is in the words of an API server, or of the author of a lock. Absent where all of it is ours. */
  readonly quoted?: string
  readonly fix?: string
  readonly grants?: readonly Grant[]
}

/** A binding of RBAC, as answers name it. */
export const grantOf = ({ binding, subject, role, rule, aggregatedFrom }: RbacGrant): Grant => {
  const { namespace, name } = binding.metadata
  return {
    subject,
    binding: { kind: binding.kind, name, ...(namespace !== undefined && { namespace }) },
    role: { kind: binding.roleRef.kind, name: role.metadata.name },
    rule,
    ...(aggregatedFrom !== undefined && { aggregatedFrom }),
  }
}

/** The link to be mended first: the first that is missing, else the first that is unknown. */
export const firstBroken = (links: readonly AccessLink[]): AccessLink | undefined =>
  links.find(({ state }) => state === 'Missing') ?? links.find(({ state }) => state === 'Unknown')
