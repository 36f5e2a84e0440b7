import type { Call } from '../../call/call.js'
import type { InstanceReading } from '../../instances/instance-reading.js'
import { seenBy } from '../instance/seen-by.js'

/** Instances that were refused to the caller are asked for again after this time. */
const ASK_AGAIN_MS = 300_000

/** The instances that a caller may use, read again and again: rights that it has are asked for each time, others less often. */
export class UsableInstances {
  /** Instances that the caller may not use, by name with their uid, and when all were last asked for. */
  #refused: ReadonlyMap<string, string> = new Map()
  #askedAt = performance.now()

  /** @param of only instances of these names; empty for all */
  constructor(
    readonly of: {
      readonly call: Call
      readonly instances: Pick<InstanceReading, 'all'>
      readonly named: readonly string[]
    },
  ) {}

  /** Their uids by name. @throws what a review throws, or reading the instances */
  async read(): Promise<ReadonlyMap<string, string>> {
    const { call, instances, named } = this.of
    const all = (await instances.all(call))
      .filter(({ name }) => named.length === 0 || named.includes(name))
      .map(({ name, instance }) => ({ name, uid: instance.metadata.uid ?? '' }))
    if (performance.now() - this.#askedAt >= ASK_AGAIN_MS) {
      this.#refused = new Map()
      this.#askedAt = performance.now()
    }
    const seen = await seenBy(
      call,
      all.filter(({ name, uid }) => this.#refused.get(name) !== uid),
    )
    const usable = new Map(seen.map(({ name, uid }) => [name, uid]))
    this.#refused = new Map(all.filter(({ name }) => !usable.has(name)).map(({ name, uid }) => [name, uid]))
    return usable
  }
}
