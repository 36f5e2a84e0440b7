import type { AccessRequest } from '../../../karmada/rbac/policy-rule.js'
import type { RbacObjects } from '../../../karmada/rbac/rbac-objects.js'
import type { RoleBindings } from '../../../ports/role-bindings.js'
import type { Call } from '../../call/call.js'
import type { Action, Authorizer } from '../../identity/authorize.js'
import type { Caller } from '../../identity/caller.js'
import type { LockedCallers } from '../../identity/locked-callers.js'
import { prefixOf } from '../../objects/object-type.js'
import type { OwnConnection, OwnRequests } from '../../objects/requests/own-requests.js'
import { bindingLinks, type KairshipQuestion, kairshipLink, lockLinks } from './kairship-links.js'
import { type AccessLink, firstBroken, type Step } from './link.js'
import { withCauseInside } from './not-in-effect.js'
import { memberProxyAccess } from './question.js'
import { readRbac } from './rbac-reader.js'
import { problemOf, review, reviewOneself } from './reviews.js'
import { impersonationLink, serverLink } from './server-links.js'
import { workspaceLinks } from './workspace-link.js'

/** What an explanation is made of. */
export interface ExplainDependencies {
  readonly ownRequests: OwnRequests
  readonly authorizer: Authorizer
  readonly roleBindings: RoleBindings
  readonly locked: Pick<LockedCallers, 'refusal'>
}

/** What is to be explained. */
export interface AccessQuestion {
  readonly instance: string
  /** A member; absent for the control plane. */
  readonly cluster?: string
  readonly subject: Caller
  readonly request: AccessRequest
  /** What Kairship authorizes for it; undefined where the verb is no request. */
  readonly action: Action | undefined
  /** It is about the Instance on the host: no control plane is asked. */
  readonly ofKairship: boolean
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
 * @throws what the authorizer and a call that ends throw; Failure NOT_FOUND where there is no such instance
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
  const isTold = belonging.length > 0 && (await maySeeWorkspaces(authorizer, call, instance))
  const links: AccessLink[] = [
    ...lockLinks(locked.refusal(subject, instance)),
    ...(isTold ? workspaceLinks(kairship, belonging, given) : []),
    ...bindingLinks(kairship, given),
    ...(verdict ? [kairshipLink(kairship, verdict)] : []),
  ]
  const found: Servers = { links: [], notes: [], unread: [] }
  if (!ofKairship) await lookInside({ ownRequests, call, question }, found)
  links.push(...found.links)
  return concluded(question, withCauseInside(links.map(withoutNeed(links)), given), found)
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

interface Servers {
  readonly links: AccessLink[]
  readonly notes: string[]
  readonly unread: string[]
}

interface Looking {
  readonly ownRequests: OwnRequests
  readonly call: Call
  readonly question: AccessQuestion
}

/** Adds the links of the control plane, and of the member behind it. */
async function lookInside({ ownRequests, call, question }: Looking, found: Servers): Promise<void> {
  const { instance, cluster, subject, request } = question
  const behind = cluster === undefined ? undefined : memberProxyAccess(request.verb, cluster)
  const asked = behind ?? request
  const fix = behind
    ? `give ${subject.user} a role on ${instance} by an InstanceRoleBinding, which opens the proxy of its members too`
    : `give ${subject.user} or one of its groups a role that includes it: by an InstanceRoleBinding, or by RBAC in the control plane`
  const base = { server: 'the control plane', step: 'ControlPlane', request: asked, fix } as const
  let connection: OwnConnection
  try {
    connection = await ownRequests.connect(call, instance)
  } catch (error) {
    found.links.push(serverLink(subject, { ...base, problem: problemOf(error, call) }).link)
    return
  }
  const namespace = 'path' in asked ? '' : asked.namespace
  const [reviewed, rbac] = await Promise.all([
    review(connection, call, subject, asked),
    readOrNote(
      () => readRbac(connection, { prefix: '' }, namespace),
      found,
      call,
      'RBAC of the control plane',
    ),
  ])
  add(found, serverLink(subject, { ...base, ...reviewed, ...(rbac && { rbac }) }))
  if (cluster === undefined) return
  const { link, seen } = impersonationLink(subject, cluster, rbac)
  found.links.push(link)
  await lookInMember({ connection, call, question: { ...question, subject: seen }, cluster }, found)
}

/** Adds the link of the member. It reviews the subject's own request, which comes by the way that the real one takes. */
async function lookInMember(
  {
    connection,
    call,
    question,
    cluster,
  }: {
    readonly connection: OwnConnection
    readonly call: Call
    readonly question: AccessQuestion
    readonly cluster: string
  },
  found: Servers,
): Promise<void> {
  const { subject, request, instance } = question
  const prefix = prefixOf({ instance, cluster })
  const base = {
    server: `member ${cluster}`,
    step: 'Member',
    request,
    fix: `give ${subject.user} or one of its groups RBAC in member ${cluster}; Karmada brings roles and bindings there by a policy`,
  } as const
  const broken = firstBroken(found.links)
  if (broken) {
    found.links.push(
      serverLink(subject, {
        ...base,
        problem: `${wordOf(broken)} is ${broken.state === 'Missing' ? 'missing' : 'unknown'}, so no request of ${subject.user} comes there`,
      }).link,
    )
    return
  }
  const namespace = 'path' in request ? '' : request.namespace
  const asCaller = { prefix, impersonate: call.caller }
  const [reviewed, rbac] = await Promise.all([
    reviewOneself(connection, call, subject, request, prefix),
    readOrNote(
      () => readRbac(connection, asCaller, namespace),
      found,
      call,
      `RBAC of member ${cluster}, which is read as you`,
    ),
  ])
  add(found, serverLink(subject, { ...base, ...reviewed, ...(rbac && { rbac }) }))
}

const wordOf = ({ step }: AccessLink): string =>
  step === 'Impersonation' ? 'the right to be impersonated' : `the right to the member's proxy`

function add({ links, notes }: Servers, { link, note }: ReturnType<typeof serverLink>): void {
  links.push(link)
  if (note) notes.push(note)
}

/** RBAC, or a note of why it was not read: the verdict needs none. */
async function readOrNote(
  read: () => Promise<RbacObjects>,
  { unread }: Servers,
  call: Call,
  what: string,
): Promise<RbacObjects | undefined> {
  try {
    return await read()
  } catch (error) {
    unread.push(`${what}: ${problemOf(error, call)}`)
    return undefined
  }
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
