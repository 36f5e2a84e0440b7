type Listener = () => void

const listeners = new Set<Listener>()

/** Says that the server took a request for one of nobody: the session may be over. */
export function refusedAsNobody(): void {
  for (const listener of listeners) listener()
}

/** Calls `then` whenever a request was refused so. @returns stops it */
export function whenRefusedAsNobody(then: Listener): () => void {
  listeners.add(then)
  return () => void listeners.delete(then)
}
