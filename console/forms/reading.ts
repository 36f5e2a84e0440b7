import { isJsonObject } from '../../transcoding/json-object.js'

// Forms read manifests by these functions: a value of a type that Kubernetes does not accept counts as absent, and the YAML shows it.

/** The value at a path of fields and indices; undefined where the path does not exist. */
export const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((above, step) => {
    if (typeof step === 'number') return Array.isArray(above) ? above[step] : undefined
    return isJsonObject(above) && Object.hasOwn(above, step) ? above[step] : undefined
  }, value)

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const text = (value: unknown): string => (typeof value === 'string' ? value : '')

export const texts = (value: unknown): readonly string[] =>
  list(value).filter((one): one is string => typeof one === 'string')

/** An integer; 0 where there is none. */
export const number = (value: unknown): number => optionalNumber(value) ?? 0

export const optionalNumber = (value: unknown): number | undefined =>
  typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined

/** A string or a number as a string: ports are either. */
export const textOrNumber = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'bigint' ? String(value) : text(value)

/** The entries of a mapping whose values are strings. */
export const entries = (value: unknown): readonly (readonly [key: string, value: string])[] =>
  isJsonObject(value)
    ? Object.entries(value).flatMap(([key, one]) => (typeof one === 'string' ? [[key, one] as const] : []))
    : []
