import { type JsonObject, objectAt, stringAt } from '../../apimachinery/json.js'

const NO_LABELS: Readonly<Record<string, string>> = Object.freeze({})

/**
 * How much JSON text is kept beside objects, over all logical clusters of the process, in characters. A text is made
 * when it is first sent and serves every reader and watcher of that version; the oldest go first.
 */
const TEXT_BUDGET = 16_000_000
const withText: StoredObject[] = []
let textHeld = 0
let oldest = 0

function keepText(owner: StoredObject, length: number): void {
  withText.push(owner)
  textHeld += length
  while (textHeld > TEXT_BUDGET) {
    const evicted = withText[oldest] as StoredObject
    oldest += 1
    textHeld -= evicted.forgetText()
  }
  if (oldest > 4096 && oldest * 2 > withText.length) {
    withText.splice(0, oldest)
    oldest = 0
  }
}

/** One version of one object. Immutable: the object is frozen through and through, so readers may share it. */
export class StoredObject {
  #text: string | undefined

  constructor(
    /** `namespace/name`, or the name alone for cluster-scoped types. Lists are sorted by it. */
    readonly key: string,
    /** The store's revision of the write that made this version: its resourceVersion. */
    readonly revision: number,
    readonly object: JsonObject,
  ) {}

  get namespace(): string {
    return stringAt(this.object, 'metadata', 'namespace')
  }
  get name(): string {
    return stringAt(this.object, 'metadata', 'name')
  }
  get uid(): string {
    return stringAt(this.object, 'metadata', 'uid')
  }
  get labels(): Readonly<Record<string, string>> {
    const labels = objectAt(this.object, 'metadata').labels
    return (labels as Readonly<Record<string, string>> | null | undefined) ?? NO_LABELS
  }
  get isTerminating(): boolean {
    return objectAt(this.object, 'metadata').deletionTimestamp !== undefined
  }

  /** The object as JSON; made once and kept for a while. */
  get text(): string {
    if (this.#text !== undefined) return this.#text
    const text = JSON.stringify(this.object)
    this.#text = text
    keepText(this, text.length)
    return text
  }

  /** @returns how many characters that freed */
  forgetText(): number {
    const length = this.#text?.length ?? 0
    this.#text = undefined
    return length
  }
}

/** Freezes a JSON value deeply. A part that is frozen already is taken as frozen all the way down. */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const key in value) freeze(value[key])
  return Object.freeze(value)
}
