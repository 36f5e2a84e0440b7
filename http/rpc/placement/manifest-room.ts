import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ManifestChange } from '../../../karmada/explain/preview.js'
import type { OverridePolicies } from '../../../karmada/overrides/apply-overrides.js'
import { OverrideBudget } from '../../../karmada/overrides/budget.js'
import type { ManifestChangeSchema } from '../../../proto/gen/kairship/placement_pb.js'
import type { Call } from '../../call/call.js'
import { changeMessage } from './messages.js'

type Message = MessageInitShape<typeof ManifestChangeSchema>

/** Characters of all manifests and patches of one answer: three thousand of a usual size. */
const MOST_TEXT = 16 << 20

/**
 * What the manifests of one preview may take. A policy that its caller sends may be large, and is applied to every template in every
 * cluster: what it makes is counted as it is made, and others are served in between.
 */
export class ManifestRoom {
  /** Of one manifest, for which other callers wait. */
  readonly #budget = new OverrideBudget()
  #left = MOST_TEXT
  #leftOut = 0
  /** Templates one after the other: of several at once none might fit. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(private readonly call: Pick<Call, 'signal'>) {}

  /** What is not in the answer, as a sentence. */
  get notes(): readonly string[] {
    if (this.#leftOut === 0) return []
    return [
      `${this.#leftOut} templates are left out: the manifests of all are more than ${MOST_TEXT >> 20} MiB. Select fewer`,
    ]
  }

  /** Override policies that may cost so much for each manifest. */
  within(policies: OverridePolicies): OverridePolicies {
    return { ...policies, budget: this.#budget }
  }

  /** The messages of a template's changes, by cluster; undefined where there is no room for them. */
  messagesOf(changes: Iterable<ManifestChange>): Promise<Message[] | undefined> {
    const made = this.#last.then(() => this.#make(changes))
    this.#last = made.catch(() => undefined)
    return made
  }

  async #make(changes: Iterable<ManifestChange>): Promise<Message[] | undefined> {
    const messages: (Message & { readonly cluster: string })[] = []
    let size = 0
    this.#budget.renew()
    for (const change of changes) {
      const message = changeMessage(change)
      size += message ? sizeOf(message) : 0
      if (size > this.#left) {
        this.#leftOut += 1
        return undefined
      }
      if (message) messages.push({ ...message, cluster: change.cluster })
      await nextTurn()
      this.call.signal.throwIfAborted()
      this.#budget.renew()
    }
    this.#left -= size
    return messages.sort((a, b) => (a.cluster < b.cluster ? -1 : 1))
  }
}

const sizeOf = ({ before = '', after = '', patch = [] }: Message): number =>
  patch.reduce(
    (sum, { path = '', value = '' }) => sum + path.length + value.length,
    before.length + after.length,
  )
