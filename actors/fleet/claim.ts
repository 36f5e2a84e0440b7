import type { Facts } from '../../machines/instance/facts.js'
import type { Instance, InstanceStatus } from '../../manifests/instance.js'

/** What an instance says is its own. */
export interface Claim {
  readonly instance: Instance
  /** Absent until its credentials were read. */
  readonly endpoint?: string | undefined
  /** Absent until its control plane was reached, now or by an earlier process. */
  readonly controlPlaneID?: string | undefined
  /** Its control plane is known, or could not be reached: younger instances need not wait for it. */
  readonly settled: boolean
}

/**
 * Pure: the claim of an instance.
 * @param facts what its actor has observed; absent when the actor never came up
 * @param crashed whether its actor is down
 */
export function claimOf(instance: Instance, facts: Facts | undefined, crashed: boolean): Claim {
  const { credentials, controlPlane } = facts ?? {}
  // The status of an earlier process counts until this process has observed the same: a restart must not reverse who is first.
  const { status, spec, metadata } = instance
  const controlPlaneID = controlPlane?.ok ? controlPlane.id : status?.controlPlaneID
  return {
    instance,
    endpoint: credentials?.ok ? credentials.endpoint : status?.endpoint,
    controlPlaneID,
    // A control plane that Kairship installs is new, so no other instance has it. One that is being deleted, or whose actor
    // is down, may never be observed.
    settled:
      controlPlaneID !== undefined ||
      controlPlane !== undefined ||
      credentials?.ok === false ||
      wasObservedBefore(status) ||
      spec?.install !== undefined ||
      metadata.deletionTimestamp !== undefined ||
      crashed,
  }
}

/** An earlier process has recorded an answer of the control plane, or that the Secret cannot be used. */
const wasObservedBefore = (status: InstanceStatus | undefined): boolean =>
  status?.conditions?.some(
    ({ type, status }) =>
      (type === 'ControlPlaneHealthy' && status !== 'Unknown') ||
      (type === 'CredentialsResolved' && status === 'False'),
  ) ?? false
