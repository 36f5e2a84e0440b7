import { readFile } from 'node:fs/promises'
import { ServiceSettingError } from '../../ports/service-error.js'

/** How long the text of a file is trusted without reading it again; client-go reads token files again after 10 s. */
const FRESH_MS = 10_000

/** A file that is replaced while the process runs, such as one of a mounted Secret. */
export class FreshFile {
  #known: { readonly text: string; readonly at: number } | undefined
  #stale = false

  /**
   * @param setting names it in messages
   * @param now milliseconds of a clock that does not jump
   */
  constructor(
    readonly path: string,
    readonly setting: string,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Its text, at most ten seconds old. While it cannot be read, as during a swap, the text before stays.
   * @throws ServiceSettingError when it could never be read
   */
  async text(): Promise<string> {
    const known = this.#known
    if (known && !this.#stale && this.now() - known.at < FRESH_MS) return known.text
    try {
      this.#known = { text: await readFile(this.path, 'utf8'), at: this.now() }
    } catch (cause) {
      if (!known) throw new ServiceSettingError(`${this.setting}: ${wordsOf(cause)}`, { cause })
      this.#known = { ...known, at: this.now() }
    }
    this.#stale = false
    return this.#known.text
  }

  /** Its text did not serve: the next reader reads the file. */
  refused(): void {
    this.#stale = true
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
