import type { AccessRequest } from '../../../karmada/rbac/policy-rule.js'
import type { RbacObjects } from '../../../karmada/rbac/rbac-objects.js'
import { resourcePath } from '../../../manifests/kube.js'
import { MEMBER_CLUSTERS } from '../../../manifests/member-cluster.js'
import { isNotFound } from '../../../manifests/status-error.js'
import type { Call } from '../../call/call.js'
import { notFound } from '../../errors/failure.js'
import type { Action } from '../../identity/authorize.js'
import type { Caller } from '../../identity/caller.js'
import { prefixOf } from '../../objects/object-type.js'
import type { OwnConnection, OwnRequests } from '../../objects/requests/own-requests.js'
import { type AccessLink, firstBroken } from './link.js'
import { memberProxyAccess } from './question.js'
import { readRbac } from './rbac-reader.js'
import { problemOf, review, reviewOneself } from './reviews.js'
import { impersonationLink, serverLink } from './server-links.js'

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

/** The links of the servers that a request reaches, and what could not be looked at. */
export interface Servers {
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
export async function lookInside({ ownRequests, call, question }: Looking, found: Servers): Promise<void> {
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
  await mustBeMember(connection, call, instance, cluster)
  const { link, seen } = impersonationLink(subject, cluster, rbac)
  found.links.push(link)
  await lookInMember({ connection, call, question: { ...question, subject: seen }, cluster }, found)
}

/** Says that a member is not there to callers who may read it, whose name it may be a mistake in. @throws Failure NOT_FOUND */
async function mustBeMember(
  connection: OwnConnection,
  call: Call,
  instance: string,
  cluster: string,
): Promise<void> {
  try {
    const path = resourcePath(MEMBER_CLUSTERS, { name: cluster })
    await connection.request({ method: 'GET', path, impersonate: call.caller })
  } catch (error) {
    if (isNotFound(error)) throw notFound(`${instance} has no member ${JSON.stringify(cluster)}`)
    // Any other refusal says nothing about the member: the links say how far a request comes.
  }
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
        unasked: `${wordOf(broken)} is ${broken.state === 'Missing' ? 'missing' : 'unknown'}, so no request of ${subject.user} comes there`,
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
