import type { Base } from './edit.js'

/** What somebody wrote and has not applied. */
export interface Draft {
  readonly text: string
  readonly base?: Base
  /** When it was written, milliseconds since 1970. */
  readonly at: number
}

/** Drafts that are kept, and their characters in all. */
const MOST_DRAFTS = 20
const MOST_CHARACTERS = 20_000_000

/**
 * Texts and forms that were filled in and not applied, by what they are of. They are kept in memory alone, because one may hold a secret: they outlive
 * a screen that is left and a session that ends, and not the page.
 */
export class Drafts {
  readonly #kept = new Map<string, Draft>()

  of(key: string): Draft | undefined {
    return this.#kept.get(key)
  }

  /** The oldest go where there are too many. */
  keep(key: string, draft: Draft): void {
    this.#kept.delete(key)
    this.#kept.set(key, draft)
    let characters = 0
    for (const { text } of this.#kept.values()) characters += text.length
    for (const [oldest, { text }] of this.#kept) {
      if (this.#kept.size <= MOST_DRAFTS && characters <= MOST_CHARACTERS) break
      characters -= text.length
      this.#kept.delete(oldest)
    }
  }

  forget(key: string): void {
    this.#kept.delete(key)
  }

  get size(): number {
    return this.#kept.size
  }
}

/** Those of this page. */
export const drafts = new Drafts()

/**
 * From now on the browser asks before it leaves the page, where that would lose drafts. It asks for as long as the page is there, because drafts
 * outlive the screens that they were written on.
 */
export const askBeforeLoss = (): void => addEventListener('beforeunload', askWhereDrafts)

function askWhereDrafts(event: BeforeUnloadEvent): void {
  if (drafts.size > 0) event.preventDefault()
}
