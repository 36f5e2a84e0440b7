import type { Instance } from '../../proto/gen/kairship/instance_pb.js'
import type { Said } from '../words/server-sentences.js'

/**
 * The reason why an instance is not ready: the first condition that is not True, in the server's order. Ready itself comes last, because it only sums
 * up the others.
 */
export function attentionOf({ status }: Instance): Said | undefined {
  const broken = (status?.conditions ?? []).filter(({ status: holds }) => holds !== 'True')
  const cause = broken.find(({ type }) => type !== 'Ready') ?? broken[0]
  return cause && { ...cause, message: cause.message || cause.reason || cause.type }
}
