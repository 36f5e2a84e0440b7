import { Code } from '../../../transcoding/code.js'
import type { Call } from '../../call/call.js'
import { toFailure } from '../../errors/to-failure.js'
import type { Objects } from '../../objects/objects.js'
import { someAtOnce } from '../concurrency/some-at-once.js'
import type { SubjectChange } from './role-binding-preview.js'
import type { KindAccess } from './subject-change.js'

/** Who counts objects, where, and how many lists of one item that may take, each a request where no index has the kind. */
export interface ObjectCounting {
  readonly objects: Objects
  readonly call: Call
  readonly instance: string
  readonly most: number
}

const AT_ONCE = 8

/** How many objects there are of what becomes readable or ceases to be, by kind and namespace; as the caller may count them. */
export async function objectCounts(
  { objects, call, instance, most }: ObjectCounting,
  changes: readonly SubjectChange[],
  unread: string[],
): Promise<ReadonlyMap<string, number>> {
  const listed = ({ gained, lost, kind }: KindAccess) =>
    !kind.resource.includes('/') && (gained.includes('list') || lost.includes('list'))
  const rows = new Map(
    changes.flatMap(({ kinds }) => kinds.filter(listed).map(row => [rowKey(row), row] as const)),
  )
  const counted = [...rows].slice(0, most)
  if (rows.size > counted.length)
    unread.push(`objects of ${rows.size - counted.length} more kinds: not counted`)
  const found = await someAtOnce(counted, AT_ONCE, async ([key, { kind, namespace }]) => {
    try {
      const query = { page: 1, pageSize: 1, ...(namespace !== '' && { namespace }) }
      const { pagination } = await objects.list(call, { instance }, kind, query)
      return [[key, pagination.total] as const]
    } catch (error) {
      if (call.signal.aborted) throw call.signal.reason
      const { code, message } = toFailure(error)
      if (code === Code.INTERNAL) throw error
      unread.push(`objects of ${kind.resource}: ${message}`)
      return []
    }
  })
  return new Map(found.flat())
}

/** Names a row of counts. */
export const rowKey = ({ kind: { group, resource }, namespace }: KindAccess): string =>
  `${group}/${resource} ${namespace}`
