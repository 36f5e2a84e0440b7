/** What the message of an event says, fact by fact, for those who say it in another language (`AuditDetails` of audit.proto). */
export interface AuditDetails {
  readonly dryRun?: true
  /** Of a role binding. */
  readonly role?: string
  readonly workspace?: string
  readonly subjects?: string
  readonly deliveredBy?: string
  /** Of an AccessLock: whom it names. */
  readonly user?: string
  readonly group?: string
  readonly tokenId?: string
  readonly instance?: string
  /** Of both: RFC 3339. */
  readonly expiresAt?: string
  /** Of both, in the words of their author. */
  readonly reason?: string
}
