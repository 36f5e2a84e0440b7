import { ListChange_Type } from '../../proto/gen/kairship/types_pb.js'
import type { Change } from './source.js'

/** What the messages of all Watches have beside their object. */
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
 * The changes that a Watch sends, with the object as a screen shows it.
 * @param names of the types by their numbers, which are others in the Watch of Instances
 */
export async function* changesOf<M extends Message, T>(
  messages: AsyncIterable<M>,
  itemOf: (message: M) => T | undefined,
  names: Readonly<Record<number, string>> = ListChange_Type,
): AsyncGenerator<Change<T>> {
  for await (const message of messages) {
    const { total, resumeToken } = message
    const item = itemOf(message)
    // A type that a newer server has changes something.
    const type = TYPES.find(known => known === names[message.type]) ?? 'MODIFIED'
    yield { type, total, resumeToken, ...(item !== undefined && { item }) }
  }
}
