/** What one member reports of an object (work.karmada.io AggregatedStatusItem). */
export interface MemberStatus {
  readonly clusterName: string
  readonly status?: Status
}

/** The status of an object of any kind. */
export type Status = Readonly<Record<string, unknown>>
