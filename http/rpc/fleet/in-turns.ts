import type { Place } from '../../objects/object-type.js'

/** How many places are under way. */
export interface Bounds {
  readonly atOnce: number
  /** Of one instance. */
  readonly ofOne: number
}

/**
 * The outcomes of some work for each place, in any order. Instances take turns, so that the places of one cannot use up the time of the
 * others. The first failure ends it: no further one is begun.
 */
export async function inTurns<R>(
  places: readonly Place[],
  { atOnce, ofOne }: Bounds,
  work: (place: Place) => Promise<R>,
): Promise<R[]> {
  const waiting = new Map<string, Place[]>()
  for (const place of places) {
    const own = waiting.get(place.instance)
    if (own) own.push(place)
    else waiting.set(place.instance, [place])
  }
  const underWay = new Map<string, number>()
  const outcomes: R[] = []
  let hasFailed = false

  const next = (): Place | undefined => {
    for (const [instance, own] of waiting) {
      if ((underWay.get(instance) ?? 0) >= ofOne) continue
      const place = own.shift()
      // It goes behind those that wait.
      waiting.delete(instance)
      if (own.length > 0) waiting.set(instance, own)
      return place
    }
    return undefined
  }

  /** Ends where no instance may have another place under way: the turn that has one of its places under way goes on with its next. */
  const worker = async (): Promise<void> => {
    for (let place = next(); place && !hasFailed; place = next()) {
      const { instance } = place
      underWay.set(instance, (underWay.get(instance) ?? 0) + 1)
      try {
        outcomes.push(await work(place))
      } catch (error) {
        hasFailed = true
        throw error
      } finally {
        underWay.set(instance, (underWay.get(instance) ?? 1) - 1)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, places.length) }, worker))
  return outcomes
}
