import type { Answer } from '../../conformance/apiserver/wire.js'
import type { Json } from './subject.js'

/**
 * What must be the same at both servers: the answer without what each server makes up by itself (uid, resourceVersion,
 * times, addresses of Services).
 */
export function seen({ status, body }: Answer, name: string): Json {
  const failed = status >= 400 && typeof body === 'object'
  return { status, body: plain(failed ? { ...body, ...complaint(body) } : body, name) }
}

/**
 * A failure whose complaints stand in order: Go tells them in the order in which it walks a map. Of a refused patch, which
 * Kubernetes quotes the whole document in its own notation for, the field is enough.
 */
function complaint({ message = '', details }: Json): Json {
  const causes: Json[] = details?.causes ?? []
  if (causes.some(({ field }) => field === 'patch'))
    return {
      message: '',
      details: { ...details, causes: causes.map(({ field, reason }) => ({ field, reason })) },
    }
  // Go gives up on a map at the first field that its type does not have, wherever that comes.
  const unknown = /^(.*?\)): .*field not declared in schema/s.exec(String(message))
  if (unknown) return { message: `${unknown[1]}: a field not declared` }
  const sorted = (parts: readonly string[]): readonly string[] => [...parts].sort()
  return {
    message: sorted(
      String(message)
        .split(/\n {2}|is invalid: \[?|, /)
        .map(part => part.replace(/\]$/, '')),
    ),
    ...(causes.length === 0
      ? {}
      : {
          // Some are told twice; the message tells each once.
          details: { ...details, causes: [...new Set(sorted(causes.map(cause => JSON.stringify(cause))))] },
        }),
  }
}

/** Fields that a server makes up. */
const madeUp: Readonly<Record<string, string>> = {
  creationTimestamp: 'a time',
  deletionTimestamp: 'a time',
  clusterIP: 'an address',
  clusterIPs: 'addresses',
}

function plain(value: Json, name: string): Json {
  if (typeof value === 'string')
    return value
      .replaceAll(name, 'NAME')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, time => (time.startsWith('2026-01-01') ? time : 'TIME'))
  if (Array.isArray(value)) return value.map(each => plain(each, name))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'resourceVersion')
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, below]) => [
        key,
        key === 'managedFields'
          ? managers(below)
          : key in madeUp && below !== 'None'
            ? madeUp[key]
            : plain(below, name),
      ]),
  )
}

/** Entries by who and how: within an operation they are ordered by times of whole seconds, which two servers pass apart. */
function managers(entries: Json): Json {
  const key = ({ operation, manager, subresource = '', apiVersion }: Json): string =>
    [operation, manager, subresource, apiVersion].join(' ')
  return [...entries].map(({ time: _, ...entry }) => entry).sort((a, b) => (key(a) < key(b) ? -1 : 1))
}
