/**
 * The formats of names, as regular expressions and with the sentences Kubernetes refuses them with
 * (k8s.io/apimachinery/pkg/api/validate/content). Each check returns the complaints; an empty list is a pass.
 */

const byteLength = (text: string): number => Buffer.byteLength(text)
/** Kubernetes says bytes of labels, and characters of names. It counts bytes. */
const tooLong = (maximum: number, unit: 'bytes' | 'characters' = 'characters'): string =>
  `must be no more than ${maximum} ${unit}`
const EMPTY = 'must be non-empty'

/** The sentence of a failed pattern, with examples that would pass. */
function patternComplaint(message: string, pattern: string, ...examples: readonly string[]): string {
  const shown = examples.length === 0 ? '' : `e.g. ${examples.map(one => `'${one}', `).join(' or ')}`
  return `${message} (${shown}regex used for validation is '${pattern}')`
}

interface Format {
  readonly maximum: number
  readonly unit?: 'bytes'
  readonly pattern: string
  readonly message: string
  readonly examples: readonly string[]
}

function checker({ maximum, unit, pattern, message, examples }: Format): (value: string) => string[] {
  const whole = new RegExp(`^(?:${pattern})$`)
  const complaint = patternComplaint(message, pattern, ...examples)
  return value => [
    ...(byteLength(value) > maximum ? [tooLong(maximum, unit)] : []),
    ...(whole.test(value) ? [] : [complaint]),
  ]
}

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`
const LABEL_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const LABEL_NAME_MESSAGE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
const LABEL_NAME_EXAMPLES = ['MyName', 'my.name', '123-abc'] as const

/** RFC 1123 label, at most 63: names of namespaces, containers, ports of pods. Of a name that is right but for its dots only these are named. */
export const dns1123Label = (value: string): string[] => {
  const complaints = labelFormat(value)
  if (!value.includes('.') || !SUBDOMAIN_WHOLE.test(value)) return complaints
  return [...complaints.slice(0, -1), 'must not contain dots']
}
const labelFormat = checker({
  maximum: 63,
  pattern: LABEL,
  message:
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  examples: ['my-name', '123-abc'],
})
const SUBDOMAIN_WHOLE = new RegExp(`^${SUBDOMAIN}$`)

/** RFC 1123 subdomain, at most 253: names of most objects. */
const subdomain = {
  maximum: 253,
  pattern: SUBDOMAIN,
  message:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  examples: ['example.com'],
}
export const dns1123Subdomain = checker(subdomain)
const labelPrefix = checker({ ...subdomain, unit: 'bytes' })

/** RFC 1035 label, at most 63: plurals and kinds of CRDs, names of Services before 1.34. */
export const dns1035Label = checker({
  maximum: 63,
  pattern: '[a-z]([-a-z0-9]*[a-z0-9])?',
  message:
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  examples: ['my-name', 'abc-123'],
})

/** The value of a label. */
export const labelValue = checker({
  maximum: 63,
  unit: 'bytes',
  pattern: `(${LABEL_NAME})?`,
  message:
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ['MyValue', 'my_value', '12345'],
})

/** A key of ConfigMap or Secret data, at most 253. `.` and `..`-prefixed keys are refused because they are file names. */
export function configMapKey(value: string): string[] {
  const complaints = configMapKeyFormat(value)
  if (value === '.') complaints.push("must not be '.'")
  else if (value === '..') complaints.push("must not be '..'")
  else if (value.startsWith('..')) complaints.push("must not start with '..'")
  return complaints
}
const configMapKeyFormat = checker({
  maximum: 253,
  pattern: '[-._a-zA-Z0-9]+',
  message: "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  examples: ['key.name', 'KEY_NAME', 'key-name'],
})

const LABEL_NAME_WHOLE = new RegExp(`^${LABEL_NAME}$`)

/** The key of a label, annotation or finalizer: an optional DNS prefix, a slash, and a name of at most 63. */
export function qualifiedName(value: string): string[] {
  const complaint = patternComplaint(LABEL_NAME_MESSAGE, LABEL_NAME, ...LABEL_NAME_EXAMPLES)
  const parts = value.split('/')
  if (parts.length > 2) {
    return [
      `a valid label key ${complaint} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  const complaints: string[] = []
  const name = parts.at(-1) ?? ''
  const prefix = parts.length === 2 ? parts[0] : undefined
  if (prefix === '') complaints.push(`prefix part ${EMPTY}`)
  else if (prefix !== undefined) complaints.push(...labelPrefix(prefix).map(one => `prefix part ${one}`))
  if (name === '') complaints.push(`name part ${EMPTY}`)
  else if (byteLength(name) > 63) complaints.push(`name part ${tooLong(63, 'bytes')}`)
  if (!LABEL_NAME_WHOLE.test(name)) complaints.push(`name part ${complaint}`)
  return complaints
}

/** The name of a container's port, as services refer to it: an IANA service name, at most 15. */
export function portName(value: string): string[] {
  const complaints: string[] = []
  if (byteLength(value) > 15) complaints.push('must be no more than 15 characters')
  if (!/^[-a-z0-9]+$/i.test(value))
    complaints.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  if (!/[a-z]/i.test(value)) complaints.push('must contain at least one letter (a-z)')
  if (value.includes('--')) complaints.push('must not contain consecutive hyphens')
  if (value.startsWith('-') || value.endsWith('-')) complaints.push('must not begin or end with a hyphen')
  return complaints
}

/** A name that becomes one segment of a URL path: anything but `.`, `..`, `/` and `%` (names of RBAC objects). */
export function pathSegmentName(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`]
  return ['/', '%'].filter(one => value.includes(one)).map(one => `may not contain '${one}'`)
}
