/** The shortcuts of all screens. */
export type Shortcut = 'search' | 'help' | 'fleet' | 'events'

/** The fields of a KeyboardEvent that are read, and where it was pressed. */
export interface Key {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  /** The focused element takes text. */
  readonly inText: boolean
  /** The focused element is a terminal, which takes every key. */
  readonly inTerminal: boolean
}

/** The time within which the second key of a sequence must follow, milliseconds. */
const SEQUENCE_MS = 1_000

const after: Readonly<Record<string, Shortcut>> = { f: 'fleet', e: 'events' }

/** Reads shortcuts out of keys. @param now milliseconds */
export class Shortcuts {
  #goSince = Number.NEGATIVE_INFINITY

  constructor(private readonly now: () => number = Date.now) {}

  read({ key, ctrlKey, metaKey, altKey, inText, inTerminal }: Key): Shortcut | undefined {
    const isAfterGo = this.now() - this.#goSince < SEQUENCE_MS
    this.#goSince = Number.NEGATIVE_INFINITY
    if (inTerminal) return undefined
    if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') return 'search'
    if (inText || ctrlKey || metaKey || altKey) return undefined
    if (key === '/') return 'search'
    if (key === '?') return 'help'
    if (isAfterGo && Object.hasOwn(after, key)) return after[key]
    if (key === 'g') this.#goSince = this.now()
    return undefined
  }
}
