/** Where the events of Kubernetes' audit log go. */
export interface AuditLog {
  /** Writes an event as one line, without waiting. What cannot be written is counted and reported; it never throws. */
  write(event: object): void
  /** Resolves when what was written has left the process. Idempotent. */
  close(): Promise<void>
}
