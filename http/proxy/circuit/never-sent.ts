/** Failures before anything was sent, by the ones who refused to send. */
const refused = new WeakSet<Error>()

/** No connection came about. The codes of undici and Node for that. */
const NO_CONNECTION = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])
/** System calls that fail before a byte can be written. */
const BEFORE_SENDING = new Set(['connect', 'getaddrinfo'])

/** Marks an error as one of a request of which nothing was sent. */
export function neverSent<E extends Error>(error: E): E {
  refused.add(error)
  return error
}

/** Whether nothing of a request was sent, so that it cannot have been executed. */
export function wasNeverSent(
  error: Error & { readonly code?: unknown; readonly syscall?: unknown },
): boolean {
  return (
    refused.has(error) || NO_CONNECTION.has(String(error.code)) || BEFORE_SENDING.has(String(error.syscall))
  )
}
