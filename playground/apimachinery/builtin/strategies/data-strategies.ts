import { configMapKey } from '../../../../manifests/name-format.js'
import { type FieldError, fieldError, forbidden, index, invalid, required } from '../../field-error.js'
import { equal, has, isObject, type Json, type JsonObject, objectAt, stringAt, withAt } from '../../json.js'
import type { Strategy } from '../../resource-definition.js'
import { immutable } from './selector-rules.js'
import { storedOnly } from './stored-strategies.js'

/** Bound of all data of a ConfigMap or Secret together: 1 MiB. */
const MAX_DATA_BYTES = 1_048_576

/** Kubernetes names the field of a too large ConfigMap `[]`, an empty path printed as an index. */
const dataTooLong = (): FieldError =>
  fieldError('FieldValueTooLong', '[]', '', `may not be more than ${MAX_DATA_BYTES} bytes`)

const keyErrors = (field: string, data: JsonObject): FieldError[] =>
  Object.keys(data).flatMap(key =>
    configMapKey(key).map(complaint => invalid(index(field, key), key, complaint)),
  )

const bytes = (data: JsonObject, base64: boolean): number =>
  Object.values(data).reduce<number>(
    (sum, value) => sum + Buffer.byteLength(String(value), base64 ? 'base64' : 'utf8'),
    0,
  )

/** An object that says `immutable: true` keeps its data, and stays so. */
function immutableData(
  object: JsonObject,
  old: JsonObject | undefined,
  fields: readonly string[],
): FieldError[] {
  if (old?.immutable !== true) return []
  const errors =
    object.immutable === true ? [] : [forbidden('immutable', 'field is immutable when `immutable` is set')]
  for (const field of fields) {
    if (!equal(object[field], old[field]))
      errors.push(forbidden(field, 'field is immutable when `immutable` is set'))
  }
  return errors
}

export const configMap: Strategy = {
  ...storedOnly,
  validate: (object, old) => {
    const [data, binary] = [objectAt(object, 'data'), objectAt(object, 'binaryData')]
    const both = Object.keys(data).filter(key => has(binary, key))
    return [
      ...immutableData(object, old, ['data', 'binaryData']),
      ...keyErrors('data', data),
      ...both.map(key => invalid(index('data', key), key, 'duplicate of key present in binaryData')),
      ...keyErrors('binaryData', binary),
      ...(bytes(data, false) + bytes(binary, true) > MAX_DATA_BYTES ? [dataTooLong()] : []),
    ]
  },
}

/** Keys a Secret of a type must have. */
const SECRET_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
}

/** Registry credentials are JSON; what does not parse is not shown. */
function dockerErrors(key: string, value: Json | undefined): FieldError[] {
  const text = Buffer.from(String(value), 'base64').toString()
  try {
    JSON.parse(text)
    return []
  } catch {
    const detail =
      text === ''
        ? 'unexpected end of JSON input'
        : `invalid character '${text.trimStart().charAt(0)}' looking for beginning of value`
    return [invalid(index('data', key), '<secret contents redacted>', detail)]
  }
}

/** `stringData` is for writing only: it becomes `data`. */
function withoutStringData(secret: JsonObject): JsonObject {
  const { stringData } = secret
  if (stringData === undefined) return secret
  const encoded = Object.fromEntries(
    Object.entries(isObject(stringData) ? stringData : {}).map(([key, text]) => [
      key,
      Buffer.from(String(text)).toString('base64'),
    ]),
  )
  const rest = withAt(secret, ['stringData'], undefined)
  const data = { ...objectAt(secret, 'data'), ...encoded }
  return Object.keys(data).length === 0 ? rest : { ...rest, data }
}

export const secret: Strategy = {
  ...storedOnly,
  defaults: withoutStringData,
  validate: (object, old) => {
    const data = objectAt(object, 'data')
    const needed = SECRET_KEYS[stringAt(object, 'type')] ?? []
    const basic =
      object.type === 'kubernetes.io/basic-auth' && !has(data, 'username') && !has(data, 'password')
    return [
      ...keyErrors('data', data),
      ...(bytes(data, true) > MAX_DATA_BYTES
        ? [fieldError('FieldValueTooLong', 'data', '', `may not be more than ${MAX_DATA_BYTES} bytes`)]
        : []),
      ...needed.filter(key => !has(data, key)).map(key => required(index('data', key))),
      ...needed
        .filter(key => key.startsWith('.docker') && has(data, key))
        .flatMap(key => dockerErrors(key, data[key])),
      ...(basic ? [required('data[username]'), required('data[password]')] : []),
      ...(old ? immutable('type', object.type, old.type) : []),
      ...immutableData(object, old, ['data']),
    ]
  },
}
