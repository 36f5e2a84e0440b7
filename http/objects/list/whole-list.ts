import type { KubeObject } from '../../../manifests/kube.js'
import { isExpired, isNoSuchVersion } from '../../../manifests/status-error.js'
import { badGateway } from '../../errors/failure.js'
import { type Chunk, NOT_THE_INDEX, type Read, readChunk, tooMany } from './chunk.js'
import type { Listing } from './listing.js'
import { chunksOf } from './namespace-chunks.js'
import { MOST_BYTES, MOST_OBJECTS, selects } from './select.js'

/** Far more than `MOST_OBJECTS` need: a list may go on without a single object. */
const MOST_CHUNKS = 1_000
/** How often a list is restarted whose continue token has expired, which takes minutes. */
const MOST_READINGS = 3

/**
 * All that matches, from the instance itself, and the state that it shows.
 * @returns `giveBack` for when the objects are not needed any more
 * @throws Failure FAILED_PRECONDITION for more than is sorted here
 */
export async function readWhole<T extends KubeObject>(
  listing: Listing<T>,
): Promise<{
  readonly objects: T[]
  readonly resourceVersion: string
  readonly giveBack: () => void
}> {
  const { value, giveBack } = await untilWhole(listing, async read => {
    const first = await read(undefined, NOT_THE_INDEX)
    return { objects: await withRest(listing, first, read), resourceVersion: first.resourceVersion }
  })
  return { ...value, giveBack }
}

/** Reads a list, again where it expires between its chunks. What was read of one that did not come to its end does not count. */
export async function untilWhole<T extends KubeObject, R>(
  listing: Listing<T>,
  work: (read: Read<T>) => Promise<R>,
): Promise<{ readonly value: R; readonly giveBack: () => void }> {
  const { call, place } = listing
  for (let attempt = 1; ; attempt += 1) {
    const reading = call.answers.reading(place.instance)
    try {
      const value = await work(chunksOf(listing, reading))
      return { value, giveBack: () => reading.giveBack() }
    } catch (error) {
      reading.giveBack()
      if (!isExpired(error) || attempt >= MOST_READINGS) throw error
    }
  }
}

/**
 * All that matched at a version, from the instance itself; undefined where it no longer has that state, or never had it.
 * @throws Failure FAILED_PRECONDITION for more than is sorted here
 */
export async function readWholeAt<T extends KubeObject>(
  listing: Listing<T>,
  version: string,
): Promise<{ readonly objects: T[]; readonly giveBack: () => void } | undefined> {
  const { call, place } = listing
  const reading = call.answers.reading(place.instance)
  const giveBack = () => reading.giveBack()
  try {
    const first = await readChunk(listing, undefined, NOT_THE_INDEX, reading, version)
    if (first.resourceVersion === version) {
      const objects = await withRest(listing, first, (next, rules) =>
        readChunk(listing, next, rules, reading),
      )
      return { objects, giveBack }
    }
  } catch (error) {
    if (!isNoSuchVersion(error)) throw error
  }
  giveBack()
  return undefined
}

/** The chunks after the first, which only the instance continues. */
export async function withRest<T extends KubeObject>(
  listing: Listing<T>,
  first: Chunk<T>,
  readNext: Read<T>,
): Promise<T[]> {
  const { type, query } = listing
  const isWanted = selects(query)
  const wanted: T[] = []
  let [read, bytes, chunks] = [0, 0, 0]
  for (let chunk = first; ; chunk = await readNext(chunk.next, NOT_THE_INDEX)) {
    const { items, next, remaining = 0 } = chunk
    read += items.length
    // API servers need not count exactly.
    if (read + remaining > 2 * MOST_OBJECTS) throw tooMany(type, query)
    chunks += 1
    if (chunks > MOST_CHUNKS) throw badGateway(`the instance’s list of ${type.resource} has no end`)
    bytes += chunk.bytes
    if (read > MOST_OBJECTS || bytes > MOST_BYTES || (next && read === MOST_OBJECTS))
      throw tooMany(type, query)
    for (const item of items) if (isWanted(item)) wanted.push(item)
    if (!next) return wanted
  }
}
