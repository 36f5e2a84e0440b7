import type { DuplicateReason } from '../../manifests/instance.js'
import type { ShownInstance } from './instance-reading.js'

/** Why an Instance is not accepted. */
export interface Refusal {
  readonly reason: DuplicateReason
  readonly message: string
}

const REASONS: readonly DuplicateReason[] = ['DuplicateEndpoint', 'DuplicateControlPlane']

/**
 * The refusal of an Instance whose control plane an older Instance manages: what is in it belongs to that one. Undefined for an Instance
 * that is not refused so.
 */
export function duplicateRefusal(shown: ShownInstance): Refusal | undefined {
  const conditions = shown.state === undefined ? shown.instance.status?.conditions : shown.conditions
  const accepted = conditions?.find(({ type }) => type === 'Accepted')
  const reason = accepted?.status === 'False' && REASONS.find(one => one === accepted.reason)
  return reason ? { reason, message: accepted.message } : undefined
}
