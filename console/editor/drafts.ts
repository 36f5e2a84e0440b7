import type { Base } from './edit.js'

/** A text that was not applied. */
export interface Draft {
  readonly text: string
  readonly base?: Base
  /** When it was last changed, milliseconds since 1970. */
  readonly at: number
}

/** The most drafts, and the most characters of all drafts. */
const MOST_DRAFTS = 20
const MOST_CHARACTERS = 20_000_000

/**
 * Texts and forms that were not applied, by their key. They are kept in memory only, because a draft may hold a secret: they survive leaving a screen
 * and the end of a session, but not a reload.
 */
export class Drafts {
  readonly #drafts = new Map<string, Draft>()

  of(key: string): Draft | undefined {
    return this.#drafts.get(key)
  }

  /** Keeps a draft. Where there are too many, the oldest are deleted. */
  keep(key: string, draft: Draft): void {
    this.#drafts.delete(key)
    this.#drafts.set(key, draft)
    let characters = 0
    for (const { text } of this.#drafts.values()) characters += text.length
    for (const [oldest, { text }] of this.#drafts) {
      if (this.#drafts.size <= MOST_DRAFTS && characters <= MOST_CHARACTERS) break
      characters -= text.length
      this.#drafts.delete(oldest)
    }
  }

  delete(key: string): void {
    this.#drafts.delete(key)
  }

  get size(): number {
    return this.#drafts.size
  }
}

/** The drafts of this page. */
export const drafts = new Drafts()

/**
 * Makes the browser ask before a reload or a closed tab loses drafts. The listener is never removed, because drafts survive the screens that made
 * them.
 */
export const warnBeforeUnload = (): void => addEventListener('beforeunload', preventUnload)

function preventUnload(event: BeforeUnloadEvent): void {
  if (drafts.size > 0) event.preventDefault()
}
