import { fingerprint } from '../kept-object.js'
import type { DirectBindings } from './direct-bindings.js'
import type { Workspaces } from './workspaces.js'

/** The revisions of so many instances are remembered: those that are gone must not stay for ever. */
const MOST_REVISIONS = 16_384
/** Of an instance on which nothing is given. */
export const NOTHING = fingerprint([])

/** Names what an instance has by role bindings: the same name while the same is given, another one after each change. */
export class RoleRevisions {
  /** Another one after each change of what anything gives. */
  #generation = 0
  /** Of everything that an instance has, as of a generation. */
  readonly #known = new Map<string, { readonly generation: number; readonly value: string }>()

  constructor(
    private readonly direct: Pick<DirectBindings, 'revisionOf'>,
    private readonly workspaces: Pick<Workspaces, 'revisionsOf'>,
  ) {}

  /** Something may give another role than before. */
  changed(): void {
    this.#generation += 1
  }

  /** '' where nothing was ever given. */
  of(instance: string): string {
    const known = this.#known.get(instance)
    if (known?.generation === this.#generation) return known.value
    const own = this.direct.revisionOf(instance)
    const inherited = this.workspaces.revisionsOf(instance)
    const value = inherited.length === 0 ? (own ?? '') : fingerprint([own ?? NOTHING, inherited])
    if (this.#known.size >= MOST_REVISIONS) this.#known.clear()
    this.#known.set(instance, { generation: this.#generation, value })
    return value
  }
}
