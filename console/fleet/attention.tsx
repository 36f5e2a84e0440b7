import type { Instance } from '../../proto/gen/kairship/instance_pb.js'
import { ConditionWords } from '../failures/server-words.js'
import { useWords } from '../words/use-words.js'
import { attentionOf } from './attention-of.js'

/** Why an instance needs attention: a condition that does not hold, or else how many clusters are not ready. Nothing where it needs none. */
export function Attention({ instance }: { readonly instance: Instance }) {
  const { fleet } = useWords()
  const attention = attentionOf(instance)
  if (!attention) return null
  return typeof attention === 'number' ? fleet.notReady(attention) : <ConditionWords condition={attention} />
}
