import { type AuditRecord, leavesRecord } from './record.js'

/** Takes a record that is to be kept. It must return at once, and not throw. */
export type AuditSink = (record: AuditRecord) => void

/** Characters of a name: the longest that most objects can have is 253. It is the caller's, and must not fill a disk. */
const LONGEST_NAME = 256
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

  /** Keeps the record of a request whose answer has begun and goes on for long, if its end will leave one however it ends. */
  recordStarted(record: Omit<AuditRecord, 'endedAt' | 'stage'>): void {
    if (leavesRecord(record)) this.#keep({ ...record, stage: 'ResponseStarted' })
  }

  /**
   * Keeps the record of a call of something that is not served. It may have been meant as a write, and a caller who looks
   * for what is not there is worth knowing of.
   */
  recordUnknown(record: Omit<AuditRecord, 'action' | 'durationMs' | 'endedAt'>): void {
    this.#keep({ ...record, operation: record.operation.slice(0, LONGEST_NAME), durationMs: 0 })
  }

  #keep({ uri, userAgent, operation, action, target, ...record }: Omit<AuditRecord, 'endedAt'>): void {
    this.sink({
      ...record,
      uri: uri.slice(0, LONGEST_URI),
      operation: operation.slice(0, LONGEST_URI),
      ...(action && { action: cut(action) }),
      ...(target && { target: cut(target) }),
      ...(userAgent !== undefined && { userAgent: userAgent.slice(0, LONGEST_USER_AGENT) }),
      endedAt: this.now(),
    })
  }
}

/** With no text longer than a name. */
function cut<T extends object>(fields: T): T {
  const texts: readonly [string, string][] = Object.entries(fields)
  return Object.fromEntries(texts.map(([field, text]) => [field, text.slice(0, LONGEST_NAME)])) as T
}
