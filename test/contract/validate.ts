import { type Contract, resolve, type Schema } from '../proto/sample.js'

/**
 * What of a JSON value the contract's schema does not allow, each with its path. An answer may have more fields than the
 * contract, and lack any: none is required there.
 */
export function problemsOf(contract: Contract, given: Schema, value: unknown, path = ''): string[] {
  const schema = resolve(contract, given)
  const wrong = (wanted: string) => [`${path || 'the answer'} is ${JSON.stringify(value)}, not ${wanted}`]
  if (schema.type === 'array') {
    if (!Array.isArray(value)) return wrong('a list')
    return value.flatMap((item, index) => problemsOf(contract, schema.items ?? {}, item, `${path}[${index}]`))
  }
  if (schema.enum)
    return schema.enum.includes(value as string) ? [] : wrong(`one of ${schema.enum.join(', ')}`)
  const isScalar = SCALARS[`${schema.type}:${schema.format ?? ''}`]
  if (isScalar) return isScalar(value) ? [] : wrong(`${schema.format ?? schema.type}`)
  if (schema.type === undefined && !schema.properties && !schema.additionalProperties) return []
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong('an object')
  return Object.entries(value).flatMap(([name, item]) => {
    const inner = schema.properties?.[name] ?? schema.additionalProperties
    return inner ? problemsOf(contract, inner, item, path ? `${path}.${name}` : name) : []
  })
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

/** As proto3 JSON writes them: 64 bits as text. */
const SCALARS: Readonly<Record<string, (value: unknown) => boolean>> = {
  'string:': isText,
  'string:byte': value => isText(value) && Buffer.from(value, 'base64').toString('base64') === value,
  'string:int64': value => isText(value) && /^-?\d{1,19}$/.test(value),
  'string:date-time': value => isText(value) && !Number.isNaN(Date.parse(value)),
  'integer:int32': value => isNumber(value) && Number.isInteger(value) && Math.abs(value) <= 2 ** 31,
  'number:double': isNumber,
  'number:float': isNumber,
  'boolean:': value => typeof value === 'boolean',
}
