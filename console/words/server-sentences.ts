/** A sentence of Kairship's server in the reader's language; undefined where it is not one of those that the page knows. */
export type Translate = (text: string) => string | undefined

/** A sentence of Kairship's server: how it is recognized, whole, and what it is in the reader's language. */
export type Sentence = readonly [pattern: RegExp, translated: (...parts: readonly string[]) => string]

/**
 * Translates sentences of the server once what does it is loaded. That begins with the first sentence that is asked for, so that no first screen waits for it: until
 * then, and where it cannot be loaded, the server's words stay as they are. After a failure the next sentence tries it again.
 */
export class ServerSentences {
  #translate: Translate | undefined
  #isLoading = false

  /**
   * @param load loads what translates
   * @param loaded told once: what was asked for before can be drawn again
   */
  constructor(
    private readonly load: () => Promise<Translate>,
    private readonly loaded: () => void,
  ) {}

  readonly translated: Translate = text => {
    if (!this.#translate && !this.#isLoading) void this.#begin()
    return this.#translate?.(text)
  }

  async #begin(): Promise<void> {
    this.#isLoading = true
    try {
      this.#translate = await this.load()
      this.loaded()
    } catch {
      // The page says of a piece that it cannot load where it is needed; this one is not.
    } finally {
      this.#isLoading = false
    }
  }
}
