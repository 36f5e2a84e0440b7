import type { Key } from './shortcuts.js'

/** The text that is typed after the key that opens a field, until the field has the focus. */
export class KeyBuffer {
  #text = ''
  #isTaken = false

  /** @returns whether the key was taken, and is to do nothing else */
  add({ key, ctrlKey, metaKey, altKey }: Omit<Key, 'inText' | 'inTerminal'>): boolean {
    if (this.#isTaken || ctrlKey || metaKey || altKey) return false
    if (key === 'Backspace') this.#text = [...this.#text].slice(0, -1).join('')
    else if ([...key].length === 1) this.#text += key
    else return false
    return true
  }

  /** The typed text, once. Further keys are left to the field. */
  takeText(): string {
    const text = this.#text
    this.#text = ''
    this.#isTaken = true
    return text
  }
}
