import type { KubeObject } from '../../../manifests/kube.js'
import { statusErrorOf } from '../../../manifests/status-error.js'
import type { WatchEvent } from '../../../ports/kube-api.js'
import { badGateway } from '../../errors/failure.js'

const NEWLINE = 0x0a
/** A line holds one object, as large as an answer to one may be. */
const LONGEST_LINE = 16 << 20
const TYPES: ReadonlySet<unknown> = new Set<WatchEvent['type']>(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'])

/** A change that an API server reports. */
export interface Change {
  readonly type: Exclude<WatchEvent['type'], 'ERROR'>
  readonly object: KubeObject
}

/**
 * Reads the changes of a watch from its bytes.
 * @throws StatusError that the server sent; Failure UNAVAILABLE for what is no event, and where it breaks inside one
 */
export async function* watchEvents(chunks: AsyncIterable<Buffer>): AsyncGenerator<Change, void> {
  // Parts of a line that has not ended: joined once, when it has.
  let parts: Buffer[] = []
  let length = 0
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)])
      parts = []
      length = 0
      start = end + 1
      if (line.length > 0) yield changeOf(line.toString('utf8'))
    }
    const rest = chunk.subarray(start)
    if (rest.length > 0) parts.push(rest)
    length += rest.length
    if (length > LONGEST_LINE) throw badGateway('the instance’s watch sent an event that has no end')
  }
  if (length > 0) throw badGateway('the instance’s watch broke in the middle of an event')
}

function changeOf(line: string): Change {
  let event: { readonly type?: unknown; readonly object?: unknown } | null
  try {
    event = JSON.parse(line)
  } catch (cause) {
    throw badGateway('the instance’s watch sent a line that is no JSON', { cause })
  }
  if (event?.type === 'ERROR') throw statusErrorOf(event.object)
  if (!TYPES.has(event?.type) || !isObject(event?.object, event?.type === 'BOOKMARK'))
    throw badGateway('the instance’s watch sent a line that is no event')
  return event as Change
}

/** A bookmark is an object without a name. */
function isObject(value: unknown, mayBeUnnamed: boolean): boolean {
  const { metadata } = (value ?? {}) as { readonly metadata?: { readonly name?: unknown } | null }
  return (
    typeof metadata === 'object' && metadata !== null && (mayBeUnnamed || typeof metadata.name === 'string')
  )
}
