/** Sessions that somebody signed out of are remembered in this number, the newest: each is some 100 bytes. */
const MOST_ENDED = 16_384

/** An answer under way, or the socket of one. */
interface Answer {
  readonly destroyed: boolean
  once(event: 'close', then: () => void): unknown
  destroy(): unknown
}

/**
 * What is under way of each session of a browser at this server, and which sessions were signed out of. A session is in a cookie, and its browser
 * has several tabs: signing out in one of them ends what the others have open, and the cookie counts no longer, wherever else it is.
 */
export class SessionUses {
  readonly #underWay = new Map<string, Set<() => void>>()
  /** The oldest first. */
  readonly #ended = new Set<string>()

  /** @param end ends it; called once at most, and not after `leave` @returns leave: it is over */
  add(session: string, end: () => void): () => void {
    const uses = this.#underWay.get(session) ?? new Set()
    this.#underWay.set(session, uses.add(end))
    return () => {
      uses.delete(end)
      if (uses.size === 0 && this.#underWay.get(session) === uses) this.#underWay.delete(session)
    }
  }

  /** Cuts an answer off with its session. It may be over already, as when its client left while the session was looked up. */
  cutOff(session: string, answer: Answer): void {
    if (answer.destroyed) return
    answer.once(
      'close',
      this.add(session, () => answer.destroy()),
    )
  }

  /** Whether somebody signed out of a session here. */
  isEnded(session: string): boolean {
    return this.#ended.has(session)
  }

  /** Ends everything of a session, now and from now on. */
  end(session: string): void {
    this.#ended.add(session)
    for (const oldest of this.#ended) {
      if (this.#ended.size <= MOST_ENDED) break
      this.#ended.delete(oldest)
    }
    const uses = this.#underWay.get(session)
    this.#underWay.delete(session)
    for (const end of uses ?? []) end()
  }
}
