import type { Instance } from '../../proto/gen/kairship/instance_pb.js'
import type { Said } from '../words/server-sentences.js'

/**
 * What keeps an instance from being ready: the first condition that does not hold, in the order in which the server lists them.
 * The condition Ready only sums the others up.
 */
export function attentionOf({ status }: Instance): Said | undefined {
  const broken = (status?.conditions ?? []).filter(({ status: holds }) => holds !== 'True')
  const cause = broken.find(({ type }) => type !== 'Ready') ?? broken[0]
  return cause && { ...cause, message: cause.message || cause.reason || cause.type }
}
