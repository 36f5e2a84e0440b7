import type { Instance } from '../../proto/gen/kairship/instance_pb.js'
import { summaryAsOf } from '../live/as-of.js'
import { bytesText, coresText, roughly } from '../parts/quantity.js'
import { Share } from '../parts/share.js'
import { useWords } from '../words/use-words.js'

/** How much of the clusters' allocatable capacity is requested. */
export function Capacity({
  instance,
  resource,
}: {
  readonly instance: Instance
  readonly resource: 'cpu' | 'memory'
}) {
  const words = useWords()
  const { allocatable = {}, allocated = {} } = instance.status?.summary?.resourceSummary ?? {}
  const [whole, part] = [roughly(allocatable[resource]), roughly(allocated[resource])]
  const text = resource === 'cpu' ? coresText : bytesText
  return (
    <Share
      label={words.fleet.columns[resource]}
      part={part}
      whole={whole}
      text={words.instance.allocated(text(part ?? 0, words), text(whole ?? 0, words))}
      asOf={summaryAsOf(instance)}
    />
  )
}
