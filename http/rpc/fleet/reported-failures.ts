import { type Failure, reasonOf } from '../../errors/failure.js'
import type { Place } from '../../objects/object-type.js'
import type { PlaceAnswer } from './fleet-query.js'
import { ALL_MEMBERS, INSTANCE_NOT_FOUND, nameOf } from './places-of.js'
import type { PlaceStep } from './watch-place.js'

/** The places that a stream does not follow, with the failures that its reader has received. */
export class ReportedFailures {
  readonly #reported = new Map<string, { readonly place: Place; readonly failure: Failure }>()

  /** The steps of failures that the reader has not received. */
  added(failures: readonly PlaceAnswer[]): readonly PlaceStep[] {
    const steps: PlaceStep[] = []
    for (const { place, failure } of failures) {
      const before = this.#reported.get(nameOf(place))?.failure
      if (!failure || (before?.code === failure.code && reasonOf(before) === reasonOf(failure))) continue
      this.#reported.set(nameOf(place), { place, failure })
      steps.push({ type: 'PLACE_FAILED', place, failure, total: 0 })
    }
    return steps
  }

  /** The steps of places that were reported and fail no more. Places that are followed report themselves. */
  recovered(
    failures: readonly PlaceAnswer[],
    now: {
      readonly isUsable: (instance: string) => boolean
      readonly isFollowed: (place: Place) => boolean
    },
  ): readonly PlaceStep[] {
    const steps: PlaceStep[] = []
    const failing = new Set(failures.map(({ place }) => nameOf(place)))
    for (const [name, { place, failure }] of [...this.#reported]) {
      const isUsable = now.isUsable(place.instance)
      // One that was unknown at the start remains so.
      if (failing.has(name) || (failure.details.reason === INSTANCE_NOT_FOUND && !isUsable)) continue
      this.#reported.delete(name)
      if (now.isFollowed(place)) continue
      const isListedAgain = place.cluster === ALL_MEMBERS && isUsable
      steps.push({ type: isListedAgain ? 'PLACE_READ' : 'PLACE_GONE', place, total: 0 })
    }
    return steps
  }
}
