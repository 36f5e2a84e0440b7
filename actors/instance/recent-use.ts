import type { AskingBudget, AskKind } from './asking-budget.js'

/** A use counts for so long, milliseconds. A page of the console that stays open, or a controller, reads more often. */
export const USED_FOR_MS = 300_000

/** Kinds of asks about the same thing: while callers use it, and while they do not. */
export interface KindsByUse {
  readonly used: AskKind
  readonly unused: AskKind
}

/** What callers of this replica used lately, by the name of the instance. */
export class RecentUse {
  readonly #usedAt = new Map<string, number>()
  readonly #waiting = new Map<string, Set<() => void>>()

  /** @param exists whether there is an instance of this name */
  constructor(private readonly exists: (name: string) => boolean) {}

  /** Without effect for an instance that is gone: a read that began before still holds its index, and nothing would forget it again. */
  note(name: string): void {
    if (!this.exists(name)) return
    this.#usedAt.set(name, performance.now())
    const waiting = this.#waiting.get(name)
    this.#waiting.delete(name)
    for (const act of waiting ?? []) act()
  }

  has(name: string): boolean {
    const usedAt = this.#usedAt.get(name)
    return usedAt !== undefined && performance.now() - usedAt < USED_FOR_MS
  }

  /** The instance is gone. */
  forget(name: string): void {
    this.#usedAt.delete(name)
  }

  /**
   * Resolves when an ask about this instance may begin. One that waits among the unused ones waits among the used ones as soon
   * as a caller uses it.
   * @throws the reason of `signal` when it aborts before that
   */
  turn(asking: AskingBudget, name: string, { used, unused }: KindsByUse, signal: AbortSignal): Promise<void> {
    if (this.has(name)) return asking.turn(signal, used)
    return asking.turn(signal, unused, { kind: used, when: act => this.#next(name, act) })
  }

  /** Calls back at the next use, unless the returned function is called before. */
  #next(name: string, act: () => void): () => void {
    const waiting = this.#waiting.get(name) ?? new Set()
    this.#waiting.set(name, waiting.add(act))
    return () => {
      waiting.delete(act)
      if (waiting.size === 0 && this.#waiting.get(name) === waiting) this.#waiting.delete(name)
    }
  }
}
