type Listener = () => void

const listeners = new Set<Listener>()

/** Reports that the server refused a request as unauthenticated: the session may be over. */
export function reportUnauthenticated(): void {
  for (const listener of listeners) listener()
}

/** Calls `callback` after each such refusal. @returns stops it */
export function onUnauthenticated(callback: Listener): () => void {
  listeners.add(callback)
  return () => void listeners.delete(callback)
}
