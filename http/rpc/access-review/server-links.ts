import { impersonatable, notImpersonatable } from '../../../karmada/rbac/impersonation-rules.js'
import type { AccessRequest } from '../../../karmada/rbac/policy-rule.js'
import type { RbacObjects } from '../../../karmada/rbac/rbac-objects.js'
import { MASTERS, type NearMiss, walkRbac } from '../../../karmada/rbac/walk.js'
import { grantText, missText, requestText } from '../../../karmada/rbac/words.js'
import type { Verdict } from '../../identity/authorize.js'
import type { Caller } from '../../identity/caller.js'
import { AUTHENTICATED } from '../../identity/groups.js'
import { type AccessLink, grantOf } from './link.js'

/** How an API server decided, and what its RBAC says; each absent where it could not be read. */
export interface ServerAnswer {
  /** In words: `the control plane`, `member m1`. */
  readonly server: string
  readonly step: 'ControlPlane' | 'Member'
  readonly request: AccessRequest
  readonly verdict?: Verdict
  readonly rbac?: RbacObjects
  /** Why there is no verdict, in the words of a server. */
  readonly problem?: string
  /** Why no verdict was asked for, in ours. */
  readonly unasked?: string
  /** What helps where nothing is found. */
  readonly fix: string
}

/** Bindings named in one message. */
const MOST_SAID = 5

/** The link of an API server's decision: the verdict is the server's, RBAC explains it. */
export function serverLink(
  subject: Caller,
  answer: ServerAnswer,
): { readonly link: AccessLink; readonly note?: string } {
  const { server, step, request, verdict, rbac, problem, unasked } = answer
  const what = requestText(request)
  if (!verdict)
    return {
      link: {
        step,
        state: 'Unknown',
        reason: 'NotAsked',
        message: `${server} could not be asked: ${unasked ?? problem ?? 'no answer'}`,
        ...(unasked === undefined && problem !== undefined && { quoted: problem }),
      },
    }
  const { grants, nearMisses } = rbac ? walkRbac(rbac, subject, request) : { grants: [], nearMisses: [] }
  if (verdict.allowed)
    return {
      ...allowed(subject, answer, what, grants.map(grantOf), grants.slice(0, MOST_SAID).map(grantText)),
    }
  if (grants.length > 0)
    return {
      link: {
        ...{ step, state: 'Missing', reason: 'DeniedByServer', grants: grants.map(grantOf) },
        ...quotedOf(verdict),
        message: `${server} does not let ${subject.user} ${what}${because(verdict)}`,
        fix: `look at the other authorizers of ${server}: its RBAC would allow this. Right after a change of RBAC, ask again`,
      },
      note: `${server} denies what its RBAC includes: another authorizer denies it, or RBAC has just changed`,
    }
  const near = nearest(nearMisses).slice(0, MOST_SAID).map(missText)
  const looked = rbac
    ? near.length > 0
      ? `: ${near.join('; ')}`
      : `: no binding there names ${subject.user} or one of its groups, but those that name all users`
    : ''
  return {
    link: {
      ...{ step, state: 'Missing', reason: near.length > 0 ? 'RoleTooSmall' : 'NoBinding' },
      ...quotedOf(verdict),
      message: `${server} does not let ${subject.user} ${what}${because(verdict)}${looked}`,
      fix: answer.fix,
    },
  }
}

function allowed(
  subject: Caller,
  { server, step, verdict, rbac }: ServerAnswer,
  what: string,
  grants: AccessLink['grants'] & object,
  words: readonly string[],
): { readonly link: AccessLink; readonly note?: string } {
  const found = { step, state: 'Found' } as const
  const lets = `${server} lets ${subject.user} ${what}`
  if (grants.length > 0)
    return { link: { ...found, reason: 'Rbac', message: `${lets}: ${words.join('; ')}`, grants } }
  if (subject.groups.includes(MASTERS))
    return {
      link: { ...found, reason: 'Masters', message: `${lets}: members of ${MASTERS} may do everything` },
    }
  const reason = verdict?.reason ? `: ${verdict.reason}` : ''
  if (!rbac)
    return { link: { ...found, reason: 'Allowed', message: `${lets}${reason}`, ...quotedOf(verdict) } }
  return {
    link: { ...found, reason: 'OtherAuthorizer', message: `${lets}${reason}`, ...quotedOf(verdict) },
    note: `${server} allows what no binding of its RBAC includes: another authorizer allows it, or RBAC has just changed`,
  }
}

/** The misses that explain a refusal: those of the same objects, else those that are about the subject. Every server has some for all users. */
function nearest(misses: readonly NearMiss[]): readonly NearMiss[] {
  const ofSameObjects = misses.filter(({ lacks }) => lacks !== 'Rule')
  return ofSameObjects.length > 0
    ? ofSameObjects
    : misses.filter(({ subject: { kind, name } }) => kind !== 'Group' || name !== AUTHENTICATED)
}

/** A server's own words in a message that has them. */
const quotedOf = (verdict: Verdict | undefined): Pick<AccessLink, 'quoted'> =>
  verdict?.reason ? { quoted: verdict.reason } : {}

const because = ({ reason }: Verdict): string => (reason ? ` (${reason})` : '')

/** Whether Karmada's proxy may act for the subject in a member, and as whom it does. */
export interface InMember {
  readonly link: AccessLink
  /** The subject with the groups that reach the member. */
  readonly seen: Caller
}

/**
 * The link of impersonation: the user must be in a ClusterRoleBinding to the proxy. Groups that none names are left out of requests to members,
 * which would refuse them (docs/adr/0063).
 */
export function impersonationLink(subject: Caller, cluster: string, rbac: RbacObjects | undefined): InMember {
  const step = 'Impersonation'
  if (!rbac) {
    const message = 'RBAC of the control plane could not be read'
    return { link: { step, state: 'Unknown', reason: 'NotRead', message }, seen: subject }
  }
  const missing = notImpersonatable(
    subject,
    impersonatable(cluster, rbac.clusterRoles, rbac.clusterRoleBindings),
  )
  const unnamed = new Set(missing.flatMap(({ kind, name }) => (kind === 'Group' ? [name] : [])))
  const seen = { ...subject, groups: subject.groups.filter(group => !unnamed.has(group)) }
  const named = 'ClusterRoleBinding to clusters/proxy of the control plane'
  if (missing.some(({ kind }) => kind === 'User'))
    return {
      seen,
      link: {
        ...{ step, state: 'Missing', reason: 'NotNamed' },
        message: `member ${cluster} refuses Karmada's proxy to act as ${subject.user}: no ${named} names it; one that names its groups does not do`,
        fix: `name the user ${subject.user} itself in an InstanceRoleBinding of the instance: Kairship then names it in such a ClusterRoleBinding`,
      },
    }
  const left = [...unnamed].slice(0, MOST_SAID).join(', ')
  const more = unnamed.size > MOST_SAID ? ` and ${unnamed.size - MOST_SAID} others` : ''
  const without = unnamed.size > 0 ? `, without the groups ${left}${more}, which no ${named} names` : ''
  return {
    seen,
    link: {
      ...{ step, state: 'Found', reason: unnamed.size > 0 ? 'NamedWithoutGroups' : 'Named' },
      message: `member ${cluster} takes requests of ${subject.user} from Karmada's proxy${without}`,
    },
  }
}
