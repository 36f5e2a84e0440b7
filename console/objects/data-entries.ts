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
  ...stringsOf(object.data).map(([key, text]) => entryOf(key, text, false)),
  ...stringsOf(object.binaryData).map(([key, value]) => entryOf(key, value, true)),
]

/** The entries of a Secret, which are in base64. */
export const secretEntries = (object: { readonly [field: string]: unknown }): DataEntry[] =>
  stringsOf(object.data).map(([key, value]) => entryOf(key, value, true))

const stringsOf = (data: unknown): [string, string][] =>
  typeof data === 'object' && data !== null
    ? Object.entries(data).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    : []

/** An entry of a value. @param isEncoded it is in base64 */
export function entryOf(key: string, value: string, isEncoded: boolean): DataEntry {
  if (!isEncoded)
    return { key, text: value, bytes: value.length > MEASURED ? value.length : utf8.encode(value).length }
  const bytes = bytesIn(value)
  // What is no base64 is shown as what it cannot be read as: an API server does not store it.
  return bytes
    ? { key, text: textIn(bytes), bytes: bytes.length }
    : { key, text: undefined, bytes: value.length }
}

/** The bytes of a value in base64; undefined where it is none. */
export function bytesIn(value: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(value), character => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** Bytes as text, where they are UTF-8 and no bytes of a program. */
export function textIn(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
