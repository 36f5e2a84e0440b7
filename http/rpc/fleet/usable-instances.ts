import type { Call } from '../../call/call.js'
import { seenBy } from '../instance/seen-by.js'

/** Instances that were refused to the caller are asked for again after this time. */
const ASK_AGAIN_MS = 300_000

/** An Instance, as far as rights on it are concerned. */
interface Named {
  readonly name: string
  readonly instance: { readonly metadata: { readonly uid?: string } }
}

/** The instances that a caller may use, read again and again: rights that it has are asked for each time, others less often. */
export class UsableInstances<I extends Named> {
  /** Instances that the caller may not use, by name with their uid, and when all were last asked for. */
  #refused: ReadonlyMap<string, string> = new Map()
  #askedAt = performance.now()

  /** @param all reads the instances of which the caller may use some */
  constructor(
    readonly call: Pick<Call, 'maySee'>,
    readonly all: () => Promise<readonly I[]>,
  ) {}

  /** In the order of all, by name. @throws what a review throws, or reading the instances */
  async read(): Promise<ReadonlyMap<string, I>> {
    const all = await this.all()
    if (performance.now() - this.#askedAt >= ASK_AGAIN_MS) {
      this.#refused = new Map()
      this.#askedAt = performance.now()
    }
    const seen = await seenBy(
      this.call,
      all.filter(one => this.#refused.get(one.name) !== uidOf(one)),
    )
    const usable = new Map(seen.map(one => [one.name, one]))
    this.#refused = new Map(all.filter(({ name }) => !usable.has(name)).map(one => [one.name, uidOf(one)]))
    return usable
  }
}

/** The uid of an Instance; empty where a fleet of tests has none. */
export const uidOf = ({ instance }: Named): string => instance.metadata.uid ?? ''
