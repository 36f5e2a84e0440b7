import { decodedIn, inBase64 } from './decoded.js'
import type { SecretValue } from './secret-values.js'

/** So many characters of a secret in a row are a part of it, and no accident. */
const PART = 10

/** Finds secret values and parts of them in texts, whatever they are encoded in. */
export class Finder {
  /** What each part is of; of what had it first. */
  readonly #parts = new Map<string, string>()
  /** Whether a part may begin with these three characters: most of a text is passed over by them. */
  readonly #beginnings = new Uint8Array(1 << 21)

  /** Values that are too short to be told from other text are not looked for. */
  add({ value, of }: SecretValue): void {
    for (let at = 0; at + PART <= value.length; at += PART) {
      const part = inBase64(value.slice(at, at + PART))
      if (!this.#parts.has(part)) this.#parts.set(part, of)
      this.#beginnings[beginningAt(part, 0)] = 1
    }
  }

  /** What the secrets are of that a text holds, each once. */
  search(text: string): readonly string[] {
    return [...new Set([text, ...decodedIn(text)].flatMap(one => this.#partsIn(inBase64(one))))]
  }

  #partsIn(text: string): string[] {
    const found: string[] = []
    for (let at = 0; at + PART <= text.length; at++) {
      if (!this.#beginnings[beginningAt(text, at)]) continue
      const of = this.#parts.get(text.slice(at, at + PART))
      if (of !== undefined) found.push(of)
    }
    return found
  }
}

const beginningAt = (text: string, at: number): number =>
  ((text.charCodeAt(at) & 127) << 14) |
  ((text.charCodeAt(at + 1) & 127) << 7) |
  (text.charCodeAt(at + 2) & 127)
