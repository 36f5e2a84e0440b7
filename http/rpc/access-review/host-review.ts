import type { MessageInitShape } from '@bufbuild/protobuf'
import { AccessDecision, type HostActionReviewSchema } from '../../../proto/gen/kairship/access_review_pb.js'
import type { Call } from '../../call/call.js'
import { someAtOnce } from '../concurrency/some-at-once.js'
import { type ExplainDependencies, explainAccess } from './explain.js'
import { DECISIONS } from './messages.js'
import { accessOf, type HostActionFields, hostActionsOf } from './question.js'

/** Reviews by the host under way for one request. */
const AT_ONCE = 8

type Review = MessageInitShape<typeof HostActionReviewSchema>

/**
 * Whether a caller may do something with Kairship's own resources on the host, and why not. No RBAC is read: the verdicts are the authorizer's.
 * @throws Failure INVALID_ARGUMENT naming each field that is wrong, and what the authorizer throws
 */
export function reviewHostAccess(
  dependencies: ExplainDependencies,
  call: Call,
  fields: readonly HostActionFields[],
): Promise<readonly Review[]> {
  return someAtOnce(hostActionsOf(fields), AT_ONCE, async (action): Promise<Review> => {
    const { verb, resource, name = '' } = action
    if (name === '' || resource.split('/')[0] !== 'instances') return onHost(dependencies, call, action)
    // A role on the instance may give it.
    const request = accessOf({
      instance: name,
      verb,
      group: 'kairship.io',
      resource,
      namespace: '',
      name,
      path: '',
    })
    const explanation = await explainAccess(dependencies, call, {
      ...{ instance: name, subject: call.caller, request, action, ofKairship: true },
    })
    const { decision, summary, first } = explanation
    return { decision: DECISIONS[decision], summary, fix: first?.fix ?? '' }
  })
}

/** What RBAC on the host alone decides: no role on an instance includes it. */
async function onHost(
  { authorizer }: ExplainDependencies,
  { caller }: Call,
  action: ReturnType<typeof hostActionsOf>[number],
): Promise<Review> {
  const { allowed, reason } = await authorizer.decide(caller, action)
  const what = [action.verb, `${action.resource}.kairship.io`, action.name].filter(Boolean).join(' ')
  const because = reason ? `: ${reason}` : ''
  if (allowed)
    return { decision: AccessDecision.ALLOWED, summary: `${caller.user} may ${what} on the host${because}.` }
  return {
    decision: AccessDecision.DENIED,
    summary: `${caller.user} may not ${what} on the host${because}.`,
    fix: `give ${caller.user} or one of its groups a ClusterRole on the host that includes this: no role on an instance does`,
  }
}
