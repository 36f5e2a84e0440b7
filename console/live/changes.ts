import { ListChange_Type } from '../../proto/gen/kairship/types_pb.js'
import type { Change } from './source.js'

/** The fields that all Watch messages share. */
export interface Message {
  readonly type: number
  readonly total: number
  readonly resumeToken: string
}

const TYPES: readonly Change<unknown>['type'][] = [
  'RESET',
  'ADDED',
  'MODIFIED',
  'DELETED',
  'LEFT',
  'BOOKMARK',
]

/**
 * Converts the messages of a Watch to changes of rows.
 * @param itemOf the row of a message; undefined where the message has no object
 * @param names of the types by their numbers; the Watch of Instances has other numbers
 */
export async function* changesOf<M extends Message, T>(
  messages: AsyncIterable<M>,
  itemOf: (message: M) => T | undefined,
  names: Readonly<Record<number, string>> = ListChange_Type,
): AsyncGenerator<Change<T>> {
  for await (const message of messages) {
    const { total, resumeToken } = message
    const item = itemOf(message)
    // A newer server may send a type that this page does not know. It changes something, so the list is read again.
    const type = TYPES.find(known => known === names[message.type]) ?? 'MODIFIED'
    yield { type, total, resumeToken, ...(item !== undefined && { item }) }
  }
}
