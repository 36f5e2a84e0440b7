import type { Key } from './shortcuts.js'

/** What is typed after the key that opens a field and before the field is there to take it. */
export class TypedAhead {
  #text = ''
  #isOver = false

  /** @returns whether the key was taken, and is to do nothing else */
  take({ key, ctrlKey, metaKey, altKey }: Omit<Key, 'inText' | 'inTerminal'>): boolean {
    if (this.#isOver || ctrlKey || metaKey || altKey) return false
    if (key === 'Backspace') this.#text = [...this.#text].slice(0, -1).join('')
    else if ([...key].length === 1) this.#text += key
    else return false
    return true
  }

  /** The field is there: it takes what was typed, and every further key itself. */
  end(): string {
    const text = this.#text
    this.#text = ''
    this.#isOver = true
    return text
  }
}
