/** What the host last said of tokens and of rights counts for so long while it does not answer, milliseconds. */
export const DEFAULT_HOST_GRACE_MS = 60_000

/** How long the host's last word counts, and who hears that it does. */
export interface HostGrace {
  /** Milliseconds since the host said it. */
  readonly ms: number
  /** Called each time that the last answer stands in for one. */
  standingIn(of: 'token' | 'access'): void
}
