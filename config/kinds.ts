/** The kinds of values that settings have; the files beside this one say which setting is of which kind. */
import { z } from 'zod'

/** A family of values: how one is parsed from text or YAML, and how errors describe what is allowed. */
export interface Kind<T> {
  readonly schema: z.ZodType<T>
  /** Completes the sentence "must be …". */
  readonly allowed: string
  /** Stands for the value in `--help`; absent for switches, which take none. */
  readonly placeholder?: string
}

const bool = (text: unknown): unknown => (text === 'true' ? true : text === 'false' ? false : text)
const digits = (text: unknown): unknown =>
  typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : text

export const integer = (least: number, most: number, unit = ''): Kind<number> => ({
  schema: z.preprocess(digits, z.int().min(least).max(most)),
  allowed: `a whole number${unit && ` of ${unit}`} from ${least} to ${most}`,
  placeholder: unit || 'number',
})
export const milliseconds = (least: number, most: number): Kind<number> =>
  integer(least, most, 'milliseconds')
const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 }
/** A length of time as kubectl takes it, in seconds. */
export const duration: Kind<number> = {
  schema: z
    .string()
    .regex(/^(\d{1,6}[hms])+$/)
    .transform(given =>
      [...given.matchAll(/(\d+)([hms])/g)].reduce(
        (sum, [, count, unit = '']) => sum + Number(count) * (secondsOf[unit] ?? 0),
        0,
      ),
    )
    .refine(seconds => seconds > 0),
  allowed: 'a length of time such as 90s, 5m or 1h30m',
  placeholder: 'duration',
}
export const oneOf = <const T extends string>(...values: readonly T[]): Kind<T> => ({
  schema: z.enum(values),
  allowed: `one of ${values.join(', ')}`,
  placeholder: values.join('|'),
})
export const text = (placeholder: string, allowed: string, pattern: RegExp = /./): Kind<string> => ({
  schema: z.string().regex(pattern),
  allowed,
  placeholder,
})
export const optional = <T>(kind: Kind<T>): Kind<T | undefined> => ({
  ...kind,
  schema: kind.schema.optional(),
})
export const path = optional(text('path', 'a path to a file'))
export const folder = optional(text('folder', 'a path to a folder'))
export const toggle: Kind<boolean> = { schema: z.preprocess(bool, z.boolean()), allowed: 'true or false' }
const hostAndPort = text(
  'host:port',
  'host:port, such as 127.0.0.1:8443 or [::1]:8443 (a port up to 65535; port 0 picks a free one)',
  /^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+):\d{1,5}$/,
)
const portOf = (address: string): number => Number(address.slice(address.lastIndexOf(':') + 1))
export const address: Kind<string> = {
  ...hostAndPort,
  schema: hostAndPort.schema.refine(it => portOf(it) <= 65_535),
}
export const httpsUrl = optional(
  text('url', 'an https:// URL without a path, such as https://127.0.0.1:8443', /^https:\/\/[^/?#]+\/?$/),
)
export const serviceUrl = optional(
  text(
    'url',
    'an https:// or http:// URL without a name, a query or a fragment, such as https://prometheus.example/prefix',
    /^https?:\/\/[A-Za-z0-9.[\]:-]+(\/[^\s?#]*)?$/,
  ),
)
export const labelName = text(
  'label',
  'a label name of Prometheus: letters, digits and "_", not starting with a digit or "__"',
  /^(?!__)[A-Za-z_][A-Za-z0-9_]*$/,
)
export const dnsLabel = text(
  'name',
  'a DNS label: at most 63 of a-z, 0-9 and "-", starting and ending with a letter or digit',
  /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
)
