import { type Change, removing, setting, settingEntry } from '../../forms/changes.js'
import { at, entries } from '../../forms/reading.js'
import { bytesIn, type DataEntry, entryOf, textIn } from '../data-entries.js'

/** The fields of ConfigMaps and Secrets with entries, and whether the values are in base64. */
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

/** An entry and the field that has it. */
export interface FormEntry extends DataEntry {
  readonly field: string
  readonly isEncoded: boolean
  /** It is text, and the form can change it without losing anything. */
  readonly isEditable: boolean
}

/** Longer values, in characters, are not edited by form: a field of a million characters would block the page. */
const MOST_EDITED = 50_000

export const formEntries = (kind: DataKind, object: unknown): readonly FormEntry[] =>
  dataFields[kind].flatMap(({ name, isEncoded }) =>
    entries(at(object, name)).map(([key, value]) => {
      const entry = entryOf(key, value, isEncoded)
      return {
        ...entry,
        ...{ field: name, isEncoded },
        // A browser's text field converts `\r\n` to `\n`.
        isEditable:
          entry.text !== undefined && entry.text.length <= MOST_EDITED && !entry.text.includes('\r'),
      }
    }),
  )

/** Sets the text of an entry. */
export const settingText = ({ field, key, isEncoded }: Place, text: string): Change =>
  settingEntry([field, key], isEncoded ? base64Of(new TextEncoder().encode(text)) : text)

type Place = Pick<FormEntry, 'field' | 'key' | 'isEncoded'>

/** The field for a new text entry: one with plain text, where the kind has one. */
export const newPlace = (kind: DataKind, key: string, isNew: boolean): Place => {
  // API servers convert `stringData` to `data`, so existing objects have no `stringData`.
  const isText = kind === 'configmaps' || isNew
  const field = dataFields[kind].find(({ isEncoded }) => isEncoded !== isText) ?? dataFields[kind][0]
  return { key, field: field.name, isEncoded: field.isEncoded }
}

/** Sets an entry to a file's content: as text where it is text, else in base64. Other entries with the key are removed. */
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

/** Bytes that are encoded at once: a call with a million arguments fails. */
const PART = 8_192

function base64Of(bytes: Uint8Array): string {
  let binary = ''
  for (let from = 0; from < bytes.length; from += PART)
    binary += String.fromCharCode(...bytes.subarray(from, from + PART))
  return btoa(binary)
}

/** The bytes of an entry for a download. */
export const fileOf = ({ text }: DataEntry, value: string): Uint8Array<ArrayBuffer> =>
  text === undefined ? (bytesIn(value) ?? new Uint8Array()) : new TextEncoder().encode(text)

/** Types of Secrets and their required keys. */
export const SECRET_TYPES: Readonly<Record<string, readonly string[]>> = {
  Opaque: [],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/basic-auth': ['username', 'password'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
}

/** Changes the type of a Secret and adds its required keys. */
export const settingType = (type: string, there: readonly FormEntry[], isNew: boolean): readonly Change[] => [
  setting(['type'], type),
  ...(SECRET_TYPES[type] ?? [])
    .filter(key => !there.some(entry => entry.key === key))
    .map(key => settingText(newPlace('secrets', key, isNew), '')),
]
