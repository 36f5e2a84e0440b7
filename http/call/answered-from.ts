/** Where an answer is from, and why. */
export interface AnsweredFrom {
  readonly source: 'index' | 'karmada'
  /** A stable word: why it is from there. */
  readonly reason: string
  /** Milliseconds that the index was measured to be behind. */
  readonly lagMs?: number
  /** When that was measured, RFC 3339. Of an index that is read seldom it is a while ago. */
  readonly measuredAt?: string
  /** A sentence for people, where it is from elsewhere than usual. */
  readonly warning?: string
}

/** The headers that say so, the same on every wire; names and values. */
export function sourceHeaders({
  source,
  reason,
  lagMs,
  measuredAt,
  warning,
}: AnsweredFrom): [string, string][] {
  return [
    ['Kairship-Source', source],
    ['Kairship-Source-Reason', reason],
    ...(lagMs === undefined ? [] : [['Kairship-Index-Lag', String(lagMs)] as [string, string]]),
    ...(measuredAt === undefined ? [] : [['Kairship-Index-Measured', measuredAt] as [string, string]]),
    ...(warning === undefined ? [] : [['Warning', warningHeader(warning)] as [string, string]]),
  ]
}

/** A warning as kubectl and client-go show it (RFC 7234, code 299). */
export const warningHeader = (text: string): string =>
  `299 kairship ${JSON.stringify(text.replaceAll(/[^ -~]/g, character => (character === '’' ? "'" : '?')))}`
