import type { InstancePhase, InstanceStatus } from '../../manifests/instance.js'
import type { InstanceState } from '../../ports/fleet.js'
import { conditionsOf } from './conditions.js'
import type { InstanceContext } from './context.js'
import type { Facts } from './facts.js'
import type { ConditionFact } from './requirements.js'

/** The status without its times. */
export type StatusFact = Omit<InstanceStatus, 'conditions'> & {
  readonly conditions: readonly ConditionFact[]
}

const phases: Record<InstanceState, InstancePhase> = {
  registering: 'Registering',
  virtualClusterSynced: 'VirtualClusterSynced',
  ready: 'Ready',
  degraded: 'Degraded',
  deleting: 'Deleting',
}

/** What the control plane notes of itself, else what was installed; many an adopted Karmada does not say. */
const karmadaVersionIn = ({ controlPlane, installation }: Facts): string | undefined =>
  (controlPlane?.ok ? controlPlane.karmadaVersion : undefined) ??
  (typeof installation === 'object' ? installation.version : undefined)

/** Pure: the status that should stand in the CR. What is not known now keeps the value it had. */
export function statusOf(context: InstanceContext): StatusFact {
  const { instance, facts, phase } = context
  const before = instance.status ?? {}
  const { credentials, controlPlane, statistics } = facts
  const known = {
    observedGeneration: instance.metadata.generation ?? before.observedGeneration,
    phase: phases[phase],
    endpoint: credentials?.ok ? credentials.endpoint : before.endpoint,
    controlPlaneID: controlPlane?.ok ? controlPlane.id : before.controlPlaneID,
    kubernetesVersion: controlPlane?.ok ? controlPlane.kubernetesVersion : before.kubernetesVersion,
    karmadaVersion: karmadaVersionIn(facts) ?? before.karmadaVersion,
    summary: statistics?.ok ? statistics.summary : before.summary,
  }
  const entries = Object.entries(known).filter(([, value]) => value !== undefined)
  return {
    ...(Object.fromEntries(entries) as Omit<StatusFact, 'conditions'>),
    conditions: conditionsOf(context),
  }
}
