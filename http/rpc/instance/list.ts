import { compareTexts } from '../../../ports/compare-texts.js'
import type { ListInstancesRequest } from '../../../proto/gen/kairship/instance_pb.js'
import { SortBy, SortDir } from '../../../proto/gen/kairship/types_pb.js'
import { isChosen } from '../../instances/instance-filter.js'
import type { ShownInstance } from '../../instances/instance-reading.js'
import { type Page, type PageRequest, pageOf } from '../../objects/paging.js'

/** Filters, sorts and pages instances by the contract's rules. They come sorted by name. */
export function listPage(
  shown: readonly ShownInstance[],
  request: Pick<ListInstancesRequest, 'name' | 'needsAttention' | 'sortBy' | 'sortDir'> & PageRequest,
): Page<ShownInstance> {
  const found = shown.filter(one => isChosen(one, request))
  const { sortBy, sortDir } = request
  const key = (sortBy !== SortBy.SORT_BY_UNSPECIFIED && sortKey[sortBy]) || nameOf
  const isDescending = sortBy !== SortBy.SORT_BY_UNSPECIFIED && sortDir !== SortDir.asc
  return pageOf(sorted(found, sortBy, sortDir), request, {
    keysOf: one => [key(one), one.name],
    descending: isDescending ? 1 : 0,
  })
}

/** Names break ties in ascending order whatever the direction, so that pages never overlap. */
function sorted(shown: readonly ShownInstance[], by: SortBy, dir: SortDir): readonly ShownInstance[] {
  if (by === SortBy.SORT_BY_UNSPECIFIED) return shown
  const sign = dir === SortDir.asc ? 1 : -1
  const key = sortKey[by] ?? nameOf
  return [...shown].sort((a, b) => sign * compareTexts(key(a), key(b)) || compareTexts(a.name, b.name))
}

const nameOf = ({ name }: ShownInstance): string => name

/** Instances have no workspace, cluster or namespace to sort by: those sort by name. */
const sortKey: Partial<Record<SortBy, (shown: ShownInstance) => string>> = {
  [SortBy.state]: ({ state }) => state ?? '',
  // RFC 3339 in UTC sorts as text.
  [SortBy.created_at]: ({ instance }) => instance.metadata.creationTimestamp ?? '',
}
