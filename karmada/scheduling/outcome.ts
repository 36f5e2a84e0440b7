/** The reasons of the Scheduled condition of a binding that could not be scheduled. */
export type FailureReason =
  /** No cluster passed the filters. The previous result is dropped; tried again when something changes. */
  | 'NoClusterFit'
  /** The clusters cannot hold the replicas. The previous result stays; tried again later. */
  | 'Unschedulable'
  /** The placement asks for what cannot be. The previous result stays. */
  | 'SchedulerError'
  /** A FederatedResourceQuota refuses the result. The previous one stays; tried again later. */
  | 'QuotaExceeded'

/** Whether a binding keeps the result of before: only where no cluster fits at all, it is dropped. */
export const keepsResult = (failure: { readonly reason: FailureReason } | undefined): boolean =>
  failure !== undefined && failure.reason !== 'NoClusterFit'

/** Thrown where a step of scheduling finds that there is no result; the message is Karmada's. */
export class Unplaceable extends Error {
  override readonly name = 'Unplaceable'

  constructor(
    message: string,
    readonly reason: FailureReason = 'SchedulerError',
  ) {
    super(message)
  }
}

/** Runs a step; what it throws says in which step, as Karmada's wrapped errors do. */
export function during<T>(step: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Unplaceable)
      throw new Unplaceable(`failed to ${step}: ${error.message}`, error.reason)
    throw error
  }
}
