import { ListChange_Type as Type } from '../../proto/gen/kairship/types_pb.js'
import type { Change } from './source.js'

/** What the messages of all Watches have beside their object. */
export interface Message {
  readonly type: Type
  readonly total: number
  readonly resumeToken: string
}

const types = {
  [Type.TYPE_UNSPECIFIED]: 'MODIFIED',
  [Type.RESET]: 'RESET',
  [Type.ADDED]: 'ADDED',
  [Type.MODIFIED]: 'MODIFIED',
  [Type.DELETED]: 'DELETED',
  [Type.LEFT]: 'LEFT',
  [Type.BOOKMARK]: 'BOOKMARK',
} as const

/** The changes that a Watch sends, with the object as a screen shows it. */
export async function* changesOf<M extends Message, T>(
  messages: AsyncIterable<M>,
  itemOf: (message: M) => T | undefined,
): AsyncGenerator<Change<T>> {
  for await (const message of messages) {
    const { type, total, resumeToken } = message
    const item = itemOf(message)
    // A type that a newer server has changes something.
    yield { type: types[type] ?? 'MODIFIED', total, resumeToken, ...(item !== undefined && { item }) }
  }
}
