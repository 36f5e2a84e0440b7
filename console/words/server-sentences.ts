import type { Part } from './quoting.js'

/**
 * A sentence of Kairship's server in the reader's language; undefined where it is not one of those that the page knows.
 * @param others the part of it that is in the words of another, such as a member's: it stays as it is, and marked
 */
export type Translate = (text: string, others?: string) => readonly Part[] | undefined

/** What a condition of an instance says. */
export interface Said {
  readonly status: string
  readonly reason: string
  readonly message: string
}

/** What the server says, in the reader's language. */
export interface Translation {
  readonly sentence: Translate
  /** The message of a condition of an instance, which an API server may have written. */
  readonly condition: (condition: Said) => ReturnType<Translate>
  /** What the reason of a refusal means (`ErrorInfo.reason`, a Status's `reason`); undefined where the page does not know it. */
  readonly meaning: (reason: string) => string | undefined
}

/** A sentence of Kairship's server: how it is recognized, whole, and what it is in the reader's language. */
export type Sentence = readonly [pattern: RegExp, translated: (...parts: readonly string[]) => string]

/** Translates a sentence within another; words of others come back marked. */
export type Inner = (text: string) => string

/**
 * Translates sentences of the server once what does it is loaded. That begins with the first sentence that is asked for, so that no first screen waits for it: until
 * then, and where it cannot be loaded, the server's words stay as they are. After a failure the next sentence tries it again.
 */
export class ServerSentences {
  #translation: Translation | undefined
  #isLoading = false

  /**
   * @param load loads what translates
   * @param loaded told once: what was asked for before can be drawn again
   */
  constructor(
    private readonly load: () => Promise<Translation>,
    private readonly loaded: () => void,
  ) {}

  readonly translated: Translate = (text, others) => this.#begun()?.sentence(text, others)

  readonly condition: Translation['condition'] = condition => this.#begun()?.condition(condition)

  readonly meaning: Translation['meaning'] = reason => this.#begun()?.meaning(reason)

  #begun(): Translation | undefined {
    if (!this.#translation && !this.#isLoading) void this.#begin()
    return this.#translation
  }

  async #begin(): Promise<void> {
    this.#isLoading = true
    try {
      this.#translation = await this.load()
      this.loaded()
    } catch {
      // The page says of a piece that it cannot load where it is needed; this one is not.
    } finally {
      this.#isLoading = false
    }
  }
}
