import type { AccessRequest } from '../../../karmada/rbac/policy-rule.js'
import type { RoleBindings } from '../../../ports/role-bindings.js'
import type { Call } from '../../call/call.js'
import type { Action, Authorizer } from '../../identity/authorize.js'
import type { LockedCallers } from '../../identity/locked-callers.js'
import type { OwnRequests } from '../../objects/requests/own-requests.js'
import { bindingLinks, type KairshipQuestion, kairshipLink, lockLinks } from './kairship-links.js'
import { type AccessLink, firstBroken, type Step } from './link.js'
import { withCauseInside } from './not-in-effect.js'
import { type AccessQuestion, lookInside, type Servers } from './servers-on-the-way.js'
import { workspaceLinks } from './workspace-link.js'

/** What an explanation is made of. */
export interface ExplainDependencies {
  readonly ownRequests: OwnRequests
  readonly authorizer: Authorizer
  readonly roleBindings: RoleBindings
  readonly locked: Pick<LockedCallers, 'refusal'>
}

/** An explanation, and what it could not look at. */
export interface AccessExplanation {
  readonly decision: 'Allowed' | 'Denied' | 'Undecided'
  readonly summary: string
  readonly links: readonly AccessLink[]
  readonly first?: AccessLink
  readonly unread: readonly string[]
  readonly notes: readonly string[]
}

/**
 * The way of a request from a user to an object, link by link. Verdicts are those of the servers: Kairship's authorizer, and a review by the
 * control plane and by the member.
 * @throws what the authorizer and a call that ends throw; Failure NOT_FOUND where there is no such instance, or no such member
 */
export async function explainAccess(
  { ownRequests, authorizer, roleBindings, locked }: ExplainDependencies,
  call: Call,
  question: AccessQuestion,
): Promise<AccessExplanation> {
  const { instance, cluster, subject, request, action, ofKairship } = question
  const kairship: KairshipQuestion = {
    ...{ instance, subject, action },
    ...(!ofKairship && cluster === undefined && { inside: request }),
  }
  const verdict = action && (await authorizer.decide(subject, action))
  const given = [...roleBindings.givenTo(instance, subject)]
  const belonging = roleBindings.belongingOf(instance)
  // Asked whatever it belongs to: the work of an answer would tell that there is such an instance.
  const isTold = await maySeeWorkspaces(authorizer, call, instance)
  const links: AccessLink[] = [
    ...lockLinks(locked.refusal(subject, instance)),
    ...(isTold ? workspaceLinks(kairship, belonging, given) : []),
    ...bindingLinks(kairship, given),
    ...(verdict ? [kairshipLink(kairship, verdict)] : []),
  ]
  const found: Servers = { links: [], notes: [], unread: [] }
  if (!ofKairship) await lookInside({ ownRequests, call, question }, found)
  links.push(...found.links)
  const namespace = 'path' in request ? '' : request.namespace
  const caused = withCauseInside(links.map(withoutNeed(links)), { instance, namespace }, given)
  return concluded(question, caused, found)
}

/** Whether a caller may know to which workspace an instance belongs: who may list workspaces, or administers the instance. */
async function maySeeWorkspaces(
  authorizer: Authorizer,
  { caller }: Call,
  instance: string,
): Promise<boolean> {
  const rights: readonly Action[] = [
    { verb: 'get', resource: 'instances/access', name: instance },
    { verb: 'list', resource: 'workspaces' },
  ]
  for (const right of rights) if ((await authorizer.decide(caller, right)).allowed) return true
  return false
}

/** What a role binding gives; it lifts no lock and gives nothing inside of members. */
const BY_ROLES: ReadonlySet<Step> = new Set<Step>(['Kairship', 'ControlPlane', 'Impersonation'])

/** A role that is missing is not needed where another binding gives one, or what it would give is there by itself. */
const withoutNeed =
  (links: readonly AccessLink[]) =>
  (link: AccessLink): AccessLink => {
    if ((link.step !== 'Binding' && link.step !== 'Workspace') || link.state !== 'Missing') return link
    const others = links.filter(({ step }) => BY_ROLES.has(step))
    const isThere = others.length > 0 && others.every(({ state }) => state === 'Found')
    const isGiven = links.some(({ step, state }) => step === 'Binding' && state === 'Found')
    if (!isThere && !isGiven) return link
    const { fix, ...rest } = link
    return { ...rest, state: 'NotNeeded', message: `${rest.message}; other bindings give the same` }
  }

function concluded(
  { subject, request, cluster, instance }: AccessQuestion,
  links: readonly AccessLink[],
  { notes, unread }: Servers,
): AccessExplanation {
  // What role bindings give shows in the verdicts of the others.
  const deciding = links.filter(({ step }) => step !== 'Binding' && step !== 'Workspace')
  const isDenied = deciding.some(({ state }) => state === 'Missing')
  const isUnknown = deciding.some(({ state }) => state === 'Unknown')
  const decision = isDenied ? 'Denied' : isUnknown || deciding.length === 0 ? 'Undecided' : 'Allowed'
  const first = firstBroken(links)
  const may = { Allowed: 'may', Denied: 'may not', Undecided: 'may or may not' }[decision]
  const where = cluster === undefined ? instance : `member ${cluster} of ${instance}`
  const what = 'path' in request ? `${request.verb} ${request.path}` : sentence(request)
  return {
    decision,
    summary: `${subject.user} ${may} ${what} in ${where}${first && decision !== 'Allowed' ? `: ${first.message}` : ''}.`,
    links,
    ...(first && decision !== 'Allowed' && { first }),
    unread: [...unread].sort(),
    notes,
  }
}

const sentence = ({
  verb,
  group,
  resource,
  subresource,
  namespace,
  name,
}: Exclude<AccessRequest, { readonly path: string }>) =>
  [
    verb,
    `${resource}${subresource && `/${subresource}`}${group && `.${group}`}`,
    name,
    namespace && `of the namespace ${namespace}`,
  ]
    .filter(word => word !== '')
    .join(' ')
