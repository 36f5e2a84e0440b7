import { hash } from 'node:crypto'

/** Tokens that are remembered, the newest: each is some 200 bytes. */
const MOST_ENDED = 16_384

/**
 * Tokens that Kairship has learned to count no longer before they end by themselves, such as one whose session its issuer has renewed for other
 * groups. By SHA-256: what is held of a token here cannot be used. A replica knows its own.
 */
export class EndedTokens {
  /** The oldest first. */
  readonly #why = new Map<string, string>()

  /** From now on a token counts no longer at this replica. @param why for its holder */
  end(token: string, why: string): void {
    this.#why.set(tokenKey(token), why)
    for (const oldest of this.#why.keys()) {
      if (this.#why.size <= MOST_ENDED) break
      this.#why.delete(oldest)
    }
  }

  /** Why a token counts no longer, by its key; undefined for one that does. */
  why(key: string): string | undefined {
    return this.#why.get(key)
  }
}

/** Names a token without being it. */
export const tokenKey = (token: string): string => hash('sha256', token, 'base64')
