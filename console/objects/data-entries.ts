/** One entry of a ConfigMap or Secret. */
export interface DataEntry {
  readonly key: string
  /** The decoded text; undefined where the value is binary. */
  readonly text: string | undefined
  readonly bytes: number
}

const utf8 = new TextEncoder()
/** The size of values up to so many characters is measured in bytes; of a longer one the number of characters is shown. */
const MEASURED = 1_000_000

/** The entries of a ConfigMap: of `data`, and of `binaryData` in base64. */
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

/** Makes an entry of a value. @param isEncoded the value is in base64 */
export function entryOf(key: string, value: string, isEncoded: boolean): DataEntry {
  if (!isEncoded)
    return { key, text: value, bytes: value.length > MEASURED ? value.length : utf8.encode(value).length }
  const bytes = bytesIn(value)
  // A value that is no base64 is shown as binary. API servers do not store such values.
  return bytes
    ? { key, text: textIn(bytes), bytes: bytes.length }
    : { key, text: undefined, bytes: value.length }
}

/** Decodes base64; undefined where the value is none. */
export function bytesIn(value: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(value), character => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** Decodes UTF-8 text; undefined for binary data. */
export function textIn(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
