import type { Identity } from './wire.js'

/** One API server the suite runs against, real or embedded. */
export interface Target {
  /** Names the server in test titles. */
  readonly name: string
  readonly url: string
  /** PEM of the CA that signed its serving certificate. */
  readonly ca: string
  /** Member of `system:masters`. */
  readonly administrator: Identity
  /** User `alice` of group `developers`, whom no role names at first. */
  readonly alice: Identity
  /** Name of the ConfigMap that the cluster itself makes in each new namespace, when it gets to it. Absent where none is made. */
  readonly ownConfigMap?: string
  /** Drops all history up to now, so that older resourceVersions and continue tokens expire. Absent where it cannot be done. */
  readonly compact?: () => Promise<void>
  /** Ends the server if it was started for the suite. */
  close(): Promise<void>
}
