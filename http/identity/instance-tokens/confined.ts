import type { Action, Authorizer, Verdict } from '../authorize.js'
import type { Caller } from '../caller.js'

/**
 * Denies to the holder of an instance's token whatever is not about that instance: other instances, the platform, lists of all. What is
 * about it is decided as for any other credential.
 */
export const confined = (authorizer: Authorizer): Authorizer => ({
  decide: (caller, action, how) => outside(caller, action) ?? authorizer.decide(caller, action, how),
})

function outside({ credential }: Caller, action: Action): Verdict | undefined {
  const instance = credential?.instance
  if (instance === undefined) return undefined
  const isAbout = 'resource' in action && /^instances(\/|$)/.test(action.resource) && action.name === instance
  return isAbout
    ? undefined
    : { allowed: false, reason: `the token is for the instance ${JSON.stringify(instance)} alone` }
}
