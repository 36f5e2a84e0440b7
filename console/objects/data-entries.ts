/** One entry of a ConfigMap or Secret. */
export interface DataEntry {
  readonly key: string
  /** As a person reads it; undefined where it is no text. */
  readonly text: string | undefined
  readonly bytes: number
}

const utf8 = new TextEncoder()
/** Characters of an entry that are measured exactly; of a longer one the size is its number of characters. */
const MEASURED = 1_000_000

/** The entries of a ConfigMap: `data` as it is, `binaryData` in base64. */
export const configMapEntries = (object: { readonly [field: string]: unknown }): DataEntry[] => [
  ...stringsOf(object.data).map(([key, text]) => ({
    key,
    text,
    bytes: text.length > MEASURED ? text.length : utf8.encode(text).length,
  })),
  ...stringsOf(object.binaryData).map(([key, value]) => decoded(key, value)),
]

/** The entries of a Secret, which are in base64. */
export const secretEntries = (object: { readonly [field: string]: unknown }): DataEntry[] =>
  stringsOf(object.data).map(([key, value]) => decoded(key, value))

const stringsOf = (data: unknown): [string, string][] =>
  typeof data === 'object' && data !== null
    ? Object.entries(data).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    : []

/** A value in base64 as text, where its bytes are UTF-8. */
function decoded(key: string, value: string): DataEntry {
  try {
    const bytes = Uint8Array.from(atob(value), character => character.charCodeAt(0))
    return { key, text: textOf(bytes), bytes: bytes.length }
  } catch {
    // No base64, which an API server does not store: shown as what it cannot be read as.
    return { key, text: undefined, bytes: value.length }
  }
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
