import type { KubeObject } from '../../../manifests/kube.js'
import { isForbidden, isNotFound } from '../../../manifests/status-error.js'
import { badGateway } from '../../errors/failure.js'
import type { AnswerReading } from '../../limits/answer-memory.js'
import type { ReadRules } from '../../proxy/proxy-request.js'
import { karmada } from '../../proxy/route/route.js'
import { objectPath } from '../object-type.js'
import { type Chunk, type Read, readChunk, tooMany } from './chunk.js'
import type { Listing } from './listing.js'
import { MOST_BYTES, MOST_OBJECTS } from './select.js'

/** Namespaces that are read at once, for one chunk. */
const AT_ONCE = 8

/** Reads the chunks of a list: of its place, or of the namespaces that the query names. */
export function chunksOf<T extends KubeObject>(listing: Listing<T>, reading: AnswerReading): Read<T> {
  const { namespaces } = listing.query
  if (!namespaces) return (next, rules) => readChunk(listing, next, rules, reading)
  const chunks = new NamespaceChunks(listing, namespaces, reading)
  return (next, rules) => chunks.read(next, rules)
}

/**
 * One list made of those of several namespaces: the index has it in one answer; of the instance each namespace is read, some at once. A
 * namespace that is refused by now has nothing to show; where all are, the list is refused.
 */
class NamespaceChunks<T extends KubeObject> {
  #hasAnswered = false

  constructor(
    readonly listing: Listing<T>,
    readonly namespaces: readonly string[],
    readonly reading: AnswerReading,
  ) {}

  async read(next: string | undefined, rules: ReadRules): Promise<Chunk<T>> {
    return (next === undefined && (await this.#ofIndex(rules))) || this.#ofSome(Number(next ?? 0))
  }

  /** @returns undefined where the index does not answer: the instance, which is asked then, refuses the list over all namespaces */
  async #ofIndex(rules: ReadRules): Promise<Chunk<T> | undefined> {
    const { requests, place, type } = this.listing
    const index = requests.options.parts.fleet.index(place.instance)
    if (!type.namespaced || !rules.namespaces || index?.holds(type) !== 'synced') return undefined
    try {
      return await readChunk(this.listing, undefined, rules, this.reading)
    } catch (error) {
      if (isForbidden(error)) return undefined
      throw error
    }
  }

  async #ofSome(first: number): Promise<Chunk<T>> {
    const some = this.namespaces.slice(first, first + AT_ONCE)
    const chunks = await Promise.all(some.map(namespace => this.#ofOne(namespace)))
    const read = chunks.flatMap(chunk => ('refused' in chunk ? [] : [chunk]))
    this.#hasAnswered ||= read.length > 0
    const isLast = first + AT_ONCE >= this.namespaces.length
    const [one] = read
    if (isLast && !this.#hasAnswered) for (const chunk of chunks) if ('refused' in chunk) throw chunk.refused
    return {
      resourceVersion: '',
      items: read.flatMap(({ items }) => items),
      next: isLast ? undefined : String(first + AT_ONCE),
      remaining: undefined,
      bytes: read.reduce((sum, { bytes }) => sum + bytes, 0),
      answered: one?.answered ?? FROM_THE_INSTANCE,
    }
  }

  /** All objects of a namespace; of the type of namespaces, itself. */
  async #ofOne(namespace: string): Promise<Chunk<T> | { readonly refused: unknown }> {
    const { type } = this.listing
    try {
      return await (type.namespaced ? this.#listOf(namespace) : this.#itself(namespace))
    } catch (error) {
      if (isForbidden(error)) return { refused: error }
      throw error
    }
  }

  async #listOf(namespace: string): Promise<Chunk<T>> {
    const { type, query } = this.listing
    const { namespaces: _, ...rest } = query
    const listing = { ...this.listing, query: { ...rest, namespace } }
    const items: T[] = []
    let bytes = 0
    for (let next: string | undefined; ; ) {
      const chunk = await readChunk(listing, next, OF_ONE, this.reading)
      items.push(...chunk.items)
      bytes += chunk.bytes
      next = chunk.next
      if (items.length > MOST_OBJECTS || bytes > MOST_BYTES) throw tooMany(type, query)
      if (!next) return { ...chunk, items, bytes }
      if (chunk.items.length === 0) throw badGateway(`the instance’s list of ${type.resource} has no end`)
    }
  }

  async #itself(name: string): Promise<Chunk<T>> {
    const { requests, call, place, type } = this.listing
    const request = { method: 'GET', path: objectPath(place, type, { name }) } as const
    const whole = { resourceVersion: '', next: undefined, remaining: undefined, answered: FROM_THE_INSTANCE }
    try {
      const object = (await requests.json(call, place.instance, request, OF_ONE)) as T
      return { ...whole, items: [object], bytes: 0 }
    } catch (error) {
      if (isNotFound(error)) return { ...whole, items: [], bytes: 0 }
      throw error
    }
  }
}

const FROM_THE_INSTANCE = { source: 'karmada', reason: 'Namespaces' } as const
/** Each namespace is read as a list of its own. */
const OF_ONE: ReadRules = {
  target: '',
  route: () => karmada(['Namespaces', () => true, 'it is made of the lists of single namespaces']),
}
