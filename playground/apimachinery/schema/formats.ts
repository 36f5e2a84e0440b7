import { isIPv4, isIPv6 } from 'node:net'
import { dns1123Label, dns1123Subdomain } from '../../../manifests/name-format.js'

const uuid = (version: string, variant: string): RegExp =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}-?${variant}-?[0-9a-f]{12}$`, 'i')
const matches = (pattern: RegExp) => (text: string) => pattern.test(text)
const digits = (text: string): number[] => [...text.replace(/\D/g, '')].map(Number)

function isIsbn10(text: string): boolean {
  const compact = text.replace(/[\s-]/g, '')
  if (!/^\d{9}[\dX]$/.test(compact)) return false
  const sum = [...compact].reduce((total, one, at) => total + (10 - at) * (one === 'X' ? 10 : Number(one)), 0)
  return sum % 11 === 0
}

function isIsbn13(text: string): boolean {
  const compact = text.replace(/[\s-]/g, '')
  if (!/^\d{13}$/.test(compact)) return false
  return digits(compact).reduce((total, one, at) => total + one * (at % 2 === 0 ? 1 : 3), 0) % 10 === 0
}

function isCreditCard(text: string): boolean {
  const numbers = digits(text)
  if (numbers.length < 13 || numbers.length > 19) return false
  const sum = numbers.reverse().reduce((total, one, at) => {
    const doubled = at % 2 === 0 ? one : one * 2
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return sum % 10 === 0
}

function isCidr(text: string): boolean {
  const [address = '', prefix = '', ...rest] = text.split('/')
  if (rest.length > 0 || !/^\d{1,3}$/.test(prefix)) return false
  return (isIPv4(address) && Number(prefix) <= 32) || (isIPv6(address) && Number(prefix) <= 128)
}

function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

function isRequestUri(text: string): boolean {
  if (text.startsWith('/')) return true
  try {
    return new URL(text).protocol.length > 1
  } catch {
    return false
  }
}

/**
 * A timestamp of RFC 3339, of which `Date.parse` can tell when it is. Leap seconds and hour 24 are refused, as Kubernetes refuses
 * them in a `metav1.Time` and in a CRD's `date-time`; it is laxer with offsets beyond 23:59, which mean nothing.
 */
export const isDateTime = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}[Tt]([01]\d|2[0-3])(:[0-5]\d){2}(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/.test(
    text,
  ) && isCalendarDate(text.slice(0, 10))

/**
 * The string formats a CRD may ask for (k8s.io/apiextensions-apiserver pkg/apiserver/validation/formats.go). A format that is
 * not here is a hint for people and checks nothing.
 */
const STRING_FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: matches(/^[0-9a-f]{24}$/i),
  uri: isRequestUri,
  email: matches(/^[^\s@<>]+@[^\s@<>]+$/),
  hostname: text =>
    text.length <= 255 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\.?$/i.test(text),
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: isCidr,
  mac: matches(/^([0-9a-f]{2}([:-])[0-9a-f]{2}(\2[0-9a-f]{2}){4}|([0-9a-f]{4}\.){2}[0-9a-f]{4})$/i),
  uuid: matches(uuid('[0-9a-f]{4}', '[0-9a-f]{4}')),
  uuid3: matches(uuid('3[0-9a-f]{3}', '[0-9a-f]{4}')),
  uuid4: matches(uuid('4[0-9a-f]{3}', '[89ab][0-9a-f]{3}')),
  uuid5: matches(uuid('5[0-9a-f]{3}', '[89ab][0-9a-f]{3}')),
  isbn: text => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  hexcolor: matches(/^#?([0-9a-f]{3}|[0-9a-f]{6})$/i),
  rgbcolor: matches(/^rgb\(\s*\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3}\s*\)$/),
  byte: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/),
  password: () => true,
  date: isCalendarDate,
  duration: matches(
    /^[-+]?(0|((\d+(\.\d*)?|\.\d+)\s?(ns|us|µs|μs|ms|s|m|h|d|w|days?|hours?|minutes?|seconds?|millis?|micros?|nanos?))+)$/,
  ),
  datetime: isDateTime,
  'k8s-short-name': text => dns1123Label(text).length === 0,
  'k8s-long-name': text => dns1123Subdomain(text).length === 0,
}

/** The check of a format under any of its spellings (`date-time` is `datetime`), or undefined for one that is a mere hint. */
export function stringFormat(format: string): ((text: string) => boolean) | undefined {
  const name = Object.hasOwn(STRING_FORMATS, format) ? format : format.replaceAll('-', '')
  return Object.hasOwn(STRING_FORMATS, name) ? STRING_FORMATS[name] : undefined
}
