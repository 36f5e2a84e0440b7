import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Log } from '../../../ports/log.js'
import {
  WatchFleetObjectsResponse_Type as Type,
  type WatchFleetObjectsResponseSchema,
} from '../../../proto/gen/kairship/fleet_pb.js'
import { Code } from '../../../transcoding/code.js'
import { failedPrecondition } from '../../errors/failure.js'
import type { PlaceAnswer } from './fleet-query.js'
import type { FleetStep } from './fleet-watch.js'
import { nameOf, placeOf } from './places-of.js'
import type { PlaceStep } from './watch-place.js'

/** Objects that one stream follows: it keeps the key of each. */
export const MOST_FOLLOWED = 100_000

type Message = MessageInitShape<typeof WatchFleetObjectsResponseSchema>

/**
 * The messages of the steps of a fleet, each with how many objects match in all places.
 * @throws Failure INVALID_ARGUMENT where every place finds the request wrong; FAILED_PRECONDITION beyond what one stream follows; what the
 * steps throw
 */
export async function* fleetChanges(steps: AsyncIterable<FleetStep>, log: Log): AsyncGenerator<Message> {
  const totals = new Totals()
  /** What was said before the first place that did not find the request wrong. */
  let wrong: Extract<PlaceStep, { type: 'PLACE_FAILED' }>[] | undefined = []
  for await (const step of steps) {
    if (wrong) {
      if (step.type === 'PLACE_FAILED' && step.failure.code === Code.INVALID_ARGUMENT) {
        wrong.push(step)
        continue
      }
      const [first] = wrong
      if (step.type === 'BOOKMARK' && first) throw first.failure
      yield { type: Type.RESET, total: 0 }
      for (const one of wrong) yield messageOf(one, totals)
      wrong = undefined
    }
    if (step.type === 'PLACE_FAILED') logInternal(log, step)
    yield messageOf(step, totals)
  }
}

function messageOf(step: FleetStep, totals: Totals): Message {
  if (step.type === 'BOOKMARK') return { type: Type.BOOKMARK, total: totals.sum }
  const { place, total: own } = step
  const total = totals.set(nameOf(place), own)
  if ('item' in step) return { type: Type[step.type], total, object: step.item }
  const failure = step.type === 'PLACE_FAILED' ? { failure: step.failure } : {}
  return { type: Type[step.type], total, place: placeOf({ place, total: own, ...failure }) }
}

/** How many objects match in each place, and in all. */
class Totals {
  readonly #of = new Map<string, number>()
  sum = 0

  set(name: string, total: number): number {
    this.sum += total - (this.#of.get(name) ?? 0)
    if (total > 0) this.#of.set(name, total)
    else this.#of.delete(name)
    if (this.sum > MOST_FOLLOWED) throw tooMany()
    return this.sum
  }
}

const tooMany = () =>
  failedPrecondition(
    `more than ${MOST_FOLLOWED} objects match, the most that one stream follows: give a namespace, a name, a label selector or instances`,
    { reason: 'ListTooLarge' },
  )

/** Logs a failure whose message says that the log has more. */
export function logInternal(log: Log, { place, failure }: Pick<PlaceAnswer, 'place' | 'failure'>): void {
  if (failure?.code === Code.INTERNAL) log.error({ err: failure, ...place }, 'a place of a list failed')
}
