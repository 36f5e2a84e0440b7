import type { MessageInitShape } from '@bufbuild/protobuf'
import type { RbacSubject } from '../../../karmada/rbac/subject.js'
import {
  AccessDecision,
  type AccessGrantSchema,
  AccessLink_State,
  AccessLink_Step,
  type AccessLinkSchema,
  type AccessSubjectSchema,
  type ExplainAccessResponseSchema,
} from '../../../proto/gen/kairship/access_review_pb.js'
import type { Caller } from '../../identity/caller.js'
import type { AccessExplanation } from './explain.js'
import type { AccessLink, Grant, LinkState, Step } from './link.js'

/** Answers of the AccessReview service in their messages; pure. */

/** Bindings named of one link or subject. */
const MOST_GRANTS = 20

export const explanationMessage = (
  { user, groups }: Caller,
  { decision, summary, links, first, unread, notes }: AccessExplanation,
): MessageInitShape<typeof ExplainAccessResponseSchema> => ({
  ...{ decision: DECISIONS[decision], summary, user, groups: [...groups] },
  links: links.map(linkMessage),
  ...(first && { first: linkMessage(first) }),
  unread: [...unread],
  notes: [...notes],
})

const linkMessage = ({
  step,
  state,
  reason,
  message,
  fix = '',
  quoted = '',
  grants = [],
}: AccessLink): MessageInitShape<typeof AccessLinkSchema> => ({
  ...{ step: STEPS[step], state: STATES[state], reason, message, fix, quoted },
  grants: grants.slice(0, MOST_GRANTS).map(grantMessage),
})

export const grantMessage = ({
  subject,
  binding,
  role,
  rule,
  aggregatedFrom = '',
}: Grant): MessageInitShape<typeof AccessGrantSchema> => ({
  subject: subjectMessage(subject),
  bindingKind: binding.kind,
  bindingNamespace: binding.namespace ?? '',
  bindingName: binding.name,
  roleKind: role.kind,
  roleName: role.name,
  aggregatedFrom,
  ...(rule && {
    rule: {
      verbs: [...(rule.verbs ?? [])],
      apiGroups: [...(rule.apiGroups ?? [])],
      resources: [...(rule.resources ?? [])],
      resourceNames: [...(rule.resourceNames ?? [])],
      nonResourceUrls: [...(rule.nonResourceURLs ?? [])],
    },
  }),
})

export const subjectMessage = ({
  kind,
  name,
  namespace = '',
}: RbacSubject): MessageInitShape<typeof AccessSubjectSchema> => ({ kind, name, namespace })

export const DECISIONS: Readonly<Record<AccessExplanation['decision'], AccessDecision>> = {
  Allowed: AccessDecision.ALLOWED,
  Denied: AccessDecision.DENIED,
  Undecided: AccessDecision.UNDECIDED,
}

const STEPS: Readonly<Record<Step, AccessLink_Step>> = {
  Lock: AccessLink_Step.LOCK,
  Workspace: AccessLink_Step.WORKSPACE,
  Binding: AccessLink_Step.BINDING,
  Kairship: AccessLink_Step.KAIRSHIP,
  ControlPlane: AccessLink_Step.CONTROL_PLANE,
  Impersonation: AccessLink_Step.IMPERSONATION,
  Member: AccessLink_Step.MEMBER,
}

const STATES: Readonly<Record<LinkState, AccessLink_State>> = {
  Found: AccessLink_State.FOUND,
  Missing: AccessLink_State.MISSING,
  Unknown: AccessLink_State.UNKNOWN,
  NotNeeded: AccessLink_State.NOT_NEEDED,
}
