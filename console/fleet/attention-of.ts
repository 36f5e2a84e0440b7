import type { Instance } from '../../proto/gen/kairship/instance_pb.js'
import type { Said } from '../words/server-sentences.js'

/**
 * Why an instance needs attention: the first condition that is not True, in the server's order. Ready itself comes last, because it only sums up the
 * others. Where all hold, the number of member clusters that are not ready. Undefined where it needs none. The server's filter `needsAttention` has
 * the same rule.
 */
export function attentionOf({ status }: Instance): Said | number | undefined {
  const broken = (status?.conditions ?? []).filter(({ status: holds }) => holds !== 'True')
  const cause = broken.find(({ type }) => type !== 'Ready') ?? broken[0]
  if (cause) return { ...cause, message: cause.message || cause.reason || cause.type }
  const { totalNum = 0, readyNum = 0 } = status?.summary?.clusterSummary ?? {}
  return readyNum < totalNum ? totalNum - readyNum : undefined
}
