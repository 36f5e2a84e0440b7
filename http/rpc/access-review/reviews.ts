import type { AccessRequest } from '../../../karmada/rbac/policy-rule.js'
import { Code } from '../../../transcoding/code.js'
import type { Call } from '../../call/call.js'
import { toFailure } from '../../errors/to-failure.js'
import type { Caller } from '../../identity/caller.js'
import { withAuthenticated } from '../../identity/groups.js'
import { reviewAccess } from '../../identity/subject-access-review.js'
import type { OwnConnection } from '../../objects/requests/own-requests.js'
import type { ServerAnswer } from './server-links.js'

/** A verdict, or why there is none. */
export type Reviewed = Pick<ServerAnswer, 'verdict' | 'problem'>

/** What the control plane says of a subject, as Kairship would impersonate it there. */
export async function review(
  connection: OwnConnection,
  call: Call,
  subject: Caller,
  request: AccessRequest,
): Promise<Reviewed> {
  const impersonated = { ...subject, groups: withAuthenticated(subject.groups) }
  try {
    return { verdict: await reviewAccess(connection, impersonated, attributesOf(request)) }
  } catch (error) {
    return { problem: problemOf(error, call) }
  }
}

/** What a member says of a subject: a SelfSubjectAccessReview as the subject, which every authenticated user may create. */
export async function reviewOneself(
  connection: OwnConnection,
  call: Call,
  subject: Caller,
  request: AccessRequest,
  prefix: string,
): Promise<Reviewed> {
  try {
    const { status } = await connection.request<{
      readonly status?: { readonly allowed?: unknown; readonly denied?: unknown; readonly reason?: unknown }
    }>({
      method: 'POST',
      path: `${prefix}/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`,
      impersonate: subject,
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: attributesOf(request),
      },
    })
    const allowed = status?.allowed === true && status.denied !== true
    return { verdict: { allowed, reason: typeof status?.reason === 'string' ? status.reason : '' } }
  } catch (error) {
    return { problem: problemOf(error, call) }
  }
}

const attributesOf = (request: AccessRequest): object =>
  'path' in request
    ? { nonResourceAttributes: request }
    : { resourceAttributes: resourceAttributesOf(request) }

const resourceAttributesOf = (request: Exclude<AccessRequest, { readonly path: string }>) =>
  Object.fromEntries(Object.entries(request).filter(([field, text]) => text !== '' || field === 'group'))

/** Why a server was not asked. @throws the error where the call has ended, there is no such instance, or its limits are reached */
export function problemOf(error: unknown, { signal }: Call): string {
  if (signal.aborted) throw signal.reason
  const failure = toFailure(error)
  if (failure.code === Code.NOT_FOUND && failure.details.reason === 'InstanceNotFound') throw failure
  if (failure.code === Code.INTERNAL) throw failure
  return failure.message
}
