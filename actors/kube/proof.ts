/** What one request carries to prove who sends it. `cert` and `key` are PEM and belong to the TLS session. */
export interface Proof {
  readonly authorization?: string
  readonly cert?: string
  readonly key?: string
}

/** Yields the credential's present proof. */
export interface Authenticator {
  /** Cheap when nothing changed: the same object, at once where nothing has to be read, another object means a changed certificate. */
  proof(): Proof | Promise<Proof>
  /** The server refused it (401): whatever was cached is not to be used again. */
  refused(): void
  /** The server forbade a request (403), which may be about the credential or about whom it impersonates. */
  forbade?(): void
}
