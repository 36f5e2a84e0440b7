import { type AccessRequest, ruleAllows } from '../../../karmada/rbac/policy-rule.js'
import type { RbacSubject } from '../../../karmada/rbac/subject.js'
import { isMeant } from '../../../karmada/rbac/subject.js'
import { requestText } from '../../../karmada/rbac/words.js'
import { type EffectiveBinding, originOf } from '../../../manifests/effective-binding.js'
import { rulesOf, secretRules } from '../../../manifests/instance-rbac.js'
import type { InstanceRole } from '../../../manifests/instance-role-binding.js'
import { isReservedNamespace } from '../../../manifests/reserved-namespaces.js'
import { Code } from '../../../transcoding/code.js'
import type { Failure } from '../../errors/failure.js'
import type { Action, Verdict } from '../../identity/authorize.js'
import type { Caller } from '../../identity/caller.js'
import { includes } from '../../identity/role-rights.js'
import type { AccessLink, Grant } from './link.js'

const ROLES: readonly InstanceRole[] = ['Viewer', 'Editor', 'Admin']

/** A role binding that means the subject, and how far it goes. */
interface Looked {
  readonly binding: EffectiveBinding
  readonly grant: Grant
  readonly passesKairship: boolean
  /** What the role would give inside, where its namespaces are right. */
  readonly includesInside: boolean
  readonly coversNamespace: boolean
}

/** What is asked of role bindings and of Kairship's own decision. */
export interface KairshipQuestion {
  readonly instance: string
  readonly subject: Caller
  /** Inside the control plane; absent for what is about Kairship alone, and for a member, where its own RBAC decides. */
  readonly inside?: AccessRequest
  readonly action: Action | undefined
}

/** The links of role bindings: of the workspace where one gives something, and of all bindings together. */
export function bindingLinks(
  question: KairshipQuestion,
  bindings: Iterable<EffectiveBinding>,
): readonly AccessLink[] {
  const looked = [...bindings].map(binding => look(binding, question))
  const good = looked.filter(one => one.passesKairship && one.includesInside && one.coversNamespace)
  const inherited = good.filter(({ binding }) => binding.origin.kind === 'WorkspaceRoleBinding')
  const workspace: AccessLink[] =
    inherited.length === 0
      ? []
      : [
          {
            step: 'Workspace',
            state: 'Found',
            reason: 'WorkspaceRole',
            message: `${inherited.map(({ binding }) => sentenceOf(binding)).join('; ')}`,
            grants: inherited.map(({ grant }) => grant),
          },
        ]
  if (good.length > 0)
    return [
      ...workspace,
      {
        step: 'Binding',
        state: 'Found',
        reason: 'RoleBinding',
        message: good.map(({ binding }) => sentenceOf(binding)).join('; '),
        grants: good.map(({ grant }) => grant),
      },
    ]
  return [missing(question, looked)]
}

/** The link of a lock; none where nothing is locked. Locks of single tokens are those of the token that a caller asks with. */
export function lockLinks(refusal: Failure | undefined): readonly AccessLink[] {
  if (!refusal) return []
  const { message, details } = refusal
  const lock = details.metadata?.lock
  return [
    refusal.code === Code.PERMISSION_DENIED
      ? {
          ...{ step: 'Lock', state: 'Missing', reason: 'AccessLocked', message, quoted: message },
          fix: `ask those who lock and unlock access to delete the AccessLock ${JSON.stringify(lock)} on the host`,
        }
      : { step: 'Lock', state: 'Unknown', reason: 'NotRead', message, quoted: message },
  ]
}

/** Kairship's own decision. */
export function kairshipLink({ subject, instance, action }: KairshipQuestion, verdict: Verdict): AccessLink {
  const what = action && 'resource' in action ? `${action.verb} ${action.resource} of ${instance}` : ''
  if (verdict.allowed)
    return {
      step: 'Kairship',
      state: 'Found',
      reason: 'Allowed',
      message: `Kairship lets ${subject.user} ${what}${verdict.reason ? `: ${verdict.reason}` : ''}.`,
    }
  return {
    step: 'Kairship',
    state: 'Missing',
    reason: 'Forbidden',
    message: `Kairship does not let ${subject.user} ${what}${verdict.reason ? `: ${verdict.reason}` : ''}.`,
    fix: `give ${subject.user} or one of its groups a role on ${instance} by an InstanceRoleBinding, or RBAC on the host for ${action && 'resource' in action ? action.resource : 'it'} of the group kairship.io`,
  }
}

function look(binding: EffectiveBinding, { subject, inside, action }: KairshipQuestion): Looked {
  const { role, namespaces, subjects } = binding.spec
  const covers = namespaces === undefined ? 'instance' : 'namespaces'
  const meant: RbacSubject = subjects.find(one => isMeant(one, subject, '')) ?? {
    kind: 'User',
    name: subject.user,
  }
  const { kind, object } = binding.origin
  return {
    binding,
    grant: {
      subject: meant,
      binding: { kind, name: object.metadata.name },
      role: { kind: 'InstanceRole', name: role },
    },
    passesKairship: action === undefined || ('resource' in action && includes(role, covers, action)),
    includesInside: inside === undefined || roleIncludes(role, inside),
    coversNamespace:
      inside === undefined ||
      namespaces === undefined ||
      (!('path' in inside) && namespaces.includes(inside.namespace)),
  }
}

/** Whether the RBAC that Kairship makes of a role includes a request, where it covers its namespace. */
export function roleIncludes(role: InstanceRole, request: AccessRequest): boolean {
  const isOfSecrets = role === 'Editor' && !('path' in request) && request.namespace !== ''
  const rules = [...rulesOf(role), ...(isOfSecrets ? secretRules : [])]
  return rules.some(rule => ruleAllows(rule, request))
}

const sentenceOf = (binding: EffectiveBinding): string =>
  `${originOf(binding)} gives the role ${binding.spec.role} on ${scopeOf(binding)}`

const scopeOf = ({ spec: { namespaces } }: EffectiveBinding): string =>
  namespaces === undefined
    ? 'the whole instance'
    : `the namespace${namespaces.length === 1 ? '' : 's'} ${listed(namespaces)}`

const MOST_NAMED = 10
const listed = (names: readonly string[]): string =>
  names.length > MOST_NAMED
    ? `${names.slice(0, MOST_NAMED).join(', ')} and ${names.length - MOST_NAMED} others`
    : names.join(', ') || 'of nothing'

function missing(question: KairshipQuestion, looked: readonly Looked[]): AccessLink {
  const { subject, instance } = question
  const step = 'Binding'
  const state = 'Missing'
  const fix = fixOf(question)
  const elsewhere = looked.filter(one => one.includesInside && one.passesKairship && !one.coversNamespace)
  const sentences = (some: readonly Looked[]) => some.map(({ binding }) => sentenceOf(binding)).join('; ')
  if (looked.length === 0)
    return {
      ...{ step, state, reason: 'NoRole', fix },
      message: `no role binding of ${instance} names ${subject.user} or one of its groups`,
    }
  if (elsewhere.length > 0)
    return {
      ...{ step, state, reason: 'OtherNamespaces', fix },
      message: `${sentences(elsewhere)}, and not here`,
    }
  return {
    ...{ step, state, reason: 'RoleTooSmall', fix },
    message: `${sentences(looked)}, which does not include this`,
  }
}

/** The smallest role that includes the request, where it covers its place; undefined where none does. */
export const smallestRole = (
  { inside, action }: KairshipQuestion,
  covers: 'instance' | 'namespaces',
): InstanceRole | undefined =>
  ROLES.find(
    role =>
      (action === undefined || ('resource' in action && includes(role, covers, action))) &&
      (!inside || roleIncludes(role, inside)),
  )

/** Who should be given which role where. */
function fixOf(question: KairshipQuestion): string {
  const { subject, instance, inside } = question
  const who = `${subject.user} or one of its groups`
  const namespace = inside && !('path' in inside) ? inside.namespace : ''
  const inNamespace = namespace !== '' && smallestRole(question, 'namespaces')
  if (inNamespace && !isReservedNamespace(namespace))
    return `give ${who} the role ${inNamespace} on the namespace ${namespace} of ${instance}, or on all of it, by an InstanceRoleBinding`
  const onAll = smallestRole(question, 'instance')
  if (onAll) return `give ${who} the role ${onAll} on all of ${instance} by an InstanceRoleBinding`
  return inside
    ? `no role of Kairship includes ${requestText(inside)}: give it by RBAC in the control plane`
    : `no role of Kairship includes this: give it by RBAC on the host`
}
