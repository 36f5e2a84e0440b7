import { type Change, removing, setting, settingEntry } from '../../forms/changes.js'
import { at, entries } from '../../forms/reading.js'
import { bytesIn, type DataEntry, entryOf, textIn } from '../data-entries.js'

/** The fields of ConfigMaps and Secrets that have entries, and whether their values are in base64. */
export const dataFields = {
  configmaps: [
    { name: 'data', isEncoded: false },
    { name: 'binaryData', isEncoded: true },
  ],
  secrets: [
    { name: 'data', isEncoded: true },
    { name: 'stringData', isEncoded: false },
  ],
} as const

export type DataKind = keyof typeof dataFields

/** An entry, and the field of the object that has it. */
export interface FormEntry extends DataEntry {
  readonly field: string
  readonly isEncoded: boolean
  /** It is text that a form can change without losing anything of it. */
  readonly isEditable: boolean
}

/** Characters of a value that a form changes: a field of a million would not move. */
const MOST_EDITED = 50_000

export const formEntries = (kind: DataKind, object: unknown): readonly FormEntry[] =>
  dataFields[kind].flatMap(({ name, isEncoded }) =>
    entries(at(object, name)).map(([key, value]) => {
      const entry = entryOf(key, value, isEncoded)
      return {
        ...entry,
        ...{ field: name, isEncoded },
        // A field of a page makes `\n` of `\r\n`.
        isEditable:
          entry.text !== undefined && entry.text.length <= MOST_EDITED && !entry.text.includes('\r'),
      }
    }),
  )

/** Gives an entry another text. */
export const settingText = ({ field, key, isEncoded }: Place, text: string): Change =>
  settingEntry([field, key], isEncoded ? base64Of(new TextEncoder().encode(text)) : text)

type Place = Pick<FormEntry, 'field' | 'key' | 'isEncoded'>

/** Where a new entry of text is put: into a field that has it as text, where the kind has one for what is written. */
export const newPlace = (kind: DataKind, key: string, isNew: boolean): Place => {
  // A server makes `data` of `stringData`: an object that is there already has none.
  const isText = kind === 'configmaps' || isNew
  const field = dataFields[kind].find(({ isEncoded }) => isEncoded !== isText) ?? dataFields[kind][0]
  return { key, field: field.name, isEncoded: field.isEncoded }
}

/** Puts a file into an entry, which is then the only one with its key: as text where it is text, else in base64. */
export function settingFile(
  kind: DataKind,
  file: { readonly key: string; readonly bytes: Uint8Array },
  isNew: boolean,
): readonly Change[] {
  const { key, bytes } = file
  const text = textIn(bytes)
  const place =
    text === undefined
      ? { key, field: kind === 'configmaps' ? 'binaryData' : 'data', isEncoded: true }
      : newPlace(kind, key, isNew)
  const others = dataFields[kind].filter(({ name }) => name !== place.field)
  return [
    ...others.map(({ name }) => removing([name, key])),
    place.isEncoded ? settingEntry([place.field, key], base64Of(bytes)) : settingText(place, text ?? ''),
  ]
}

/** Bytes that are put together at once: a call with a million arguments fails. */
const PART = 8_192

function base64Of(bytes: Uint8Array): string {
  let binary = ''
  for (let from = 0; from < bytes.length; from += PART)
    binary += String.fromCharCode(...bytes.subarray(from, from + PART))
  return btoa(binary)
}

/** The bytes of an entry, to be saved as a file. */
export const fileOf = ({ text }: DataEntry, value: string): Uint8Array<ArrayBuffer> =>
  text === undefined ? (bytesIn(value) ?? new Uint8Array()) : new TextEncoder().encode(text)

/** Types of Secrets, and the keys that each must have. */
export const SECRET_TYPES: Readonly<Record<string, readonly string[]>> = {
  Opaque: [],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/basic-auth': ['username', 'password'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
}

/** Makes a Secret of another type, with the keys that it must have. */
export const settingType = (type: string, there: readonly FormEntry[], isNew: boolean): readonly Change[] => [
  setting(['type'], type),
  ...(SECRET_TYPES[type] ?? [])
    .filter(key => !there.some(entry => entry.key === key))
    .map(key => settingText(newPlace('secrets', key, isNew), '')),
]
