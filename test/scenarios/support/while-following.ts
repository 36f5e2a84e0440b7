import type { DescService, JsonObject } from '@bufbuild/protobuf'
import { expect } from 'vitest'
import { eventually } from './eventually.js'
import type { Following } from './following.js'
import type { Wires } from './wires.js'

/** What a step of a followed list says: its type, how many match after it, and the name of its object. */
export type Told = readonly [type: unknown, total: unknown, name: string | undefined]

/** The first two steps of a list that shows nothing. */
export const EMPTY: readonly Told[] = [
  ['RESET', 0, undefined],
  ['BOOKMARK', 0, undefined],
]

/** Waits until so many steps have come, and returns what they say. An event is named by its message. */
export async function told(following: Following, count: number, field: string): Promise<readonly Told[]> {
  const has = () => following.steps.length >= count
  await eventually(`${count} steps`, has, { story: following.text })
  return following.steps.slice(0, count).map(({ type, total, [field]: message }): Told => {
    const { metadata, name, message: text } = (message ?? {}) as Message
    return [type, total, metadata?.name ?? name ?? text]
  })
}

interface Message {
  readonly metadata?: { readonly name: string }
  readonly name?: string
  readonly message?: string
}

/**
 * Follows a list over both wires while `work` runs, which gets the first steps when they have come. Both wires must say the same.
 * @param field of the object in a step
 */
export async function whileFollowing<S extends DescService>(
  calls: Wires<S>,
  rpc: keyof S['method'] & string,
  request: JsonObject,
  field: string,
  work: (steps: (count: number) => Promise<readonly Told[]>) => Promise<void>,
): Promise<void> {
  const { rest, grpc } = calls.follow(rpc, request)
  try {
    await work(async count => {
      const steps = await told(rest, count, field)
      expect(await told(grpc, count, field)).toEqual(steps)
      return steps
    })
  } finally {
    rest.close()
    grpc.close()
  }
}
