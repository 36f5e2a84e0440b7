/** The most signed-out sessions that are remembered, each some 100 bytes. */
const MOST_ENDED = 16_384

/** A running response, or its socket. */
interface Answer {
  readonly destroyed: boolean
  once(event: 'close', then: () => void): unknown
  destroy(): unknown
}

/**
 * The open calls of each browser session at this server, and the sessions that were signed out of. Tabs share a session: signing out in one of them
 * ends the open calls of all, and the cookie is no longer valid, wherever a copy of it is.
 */
export class SessionUses {
  readonly #open = new Map<string, Set<() => void>>()
  /** The oldest first. */
  readonly #ended = new Set<string>()

  /**
   * Adds an open call.
   * @param end ends the call; called at most once, and not after it was removed
   * @returns removes the call
   */
  add(session: string, end: () => void): () => void {
    const uses = this.#open.get(session) ?? new Set()
    this.#open.set(session, uses.add(end))
    return () => {
      uses.delete(end)
      if (uses.size === 0 && this.#open.get(session) === uses) this.#open.delete(session)
    }
  }

  /** Destroys a response when its session ends. The response may have closed already while the session was looked up. */
  cutOff(session: string, answer: Answer): void {
    if (answer.destroyed) return
    answer.once(
      'close',
      this.add(session, () => answer.destroy()),
    )
  }

  /** Whether somebody signed out of a session. */
  isEnded(session: string): boolean {
    return this.#ended.has(session)
  }

  /** Ends the open calls of a session, and marks it as ended. */
  end(session: string): void {
    this.#ended.add(session)
    for (const oldest of this.#ended) {
      if (this.#ended.size <= MOST_ENDED) break
      this.#ended.delete(oldest)
    }
    const uses = this.#open.get(session)
    this.#open.delete(session)
    for (const end of uses ?? []) end()
  }
}
