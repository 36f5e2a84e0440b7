import { type AuditRecord, leavesRecord } from './record.js'

/** Takes a record that is to be kept. It must return at once, and not throw. */
export type AuditSink = (record: AuditRecord) => void

/** Characters of the name of something that is not served. It is the caller's, and must not fill a disk. */
const LONGEST_UNKNOWN = 256
/** Characters of a path and of a user agent, which are the caller's too; Kubernetes has paths of up to some 1,000. */
const LONGEST_URI = 2_048
const LONGEST_USER_AGENT = 256

/** The records of requests, on their way to where they are kept. */
export class Audit {
  /** @param now milliseconds since 1970 */
  constructor(
    private readonly sink: AuditSink,
    private readonly now: () => number = Date.now,
  ) {}

  /** Keeps the record of a request that is over now, if it leaves one. */
  record(record: Omit<AuditRecord, 'endedAt'>): void {
    if (leavesRecord(record)) this.#keep(record)
  }

  /**
   * Keeps the record of a call of something that is not served. It may have been meant as a write, and who looks for what is not
   * there is worth knowing.
   */
  recordUnknown(record: Omit<AuditRecord, 'action' | 'durationMs' | 'endedAt'>): void {
    this.#keep({ ...record, operation: record.operation.slice(0, LONGEST_UNKNOWN), durationMs: 0 })
  }

  #keep({ uri, userAgent, ...record }: Omit<AuditRecord, 'endedAt'>): void {
    this.sink({
      ...record,
      uri: uri.slice(0, LONGEST_URI),
      ...(userAgent !== undefined && { userAgent: userAgent.slice(0, LONGEST_USER_AGENT) }),
      endedAt: this.now(),
    })
  }
}
