import type { SnapshotFrom } from 'xstate'
import type { InstanceState } from '../../ports/fleet.js'
import type { instanceMachine } from './instance.js'

/** One moment of an instance actor. */
export type InstanceSnapshot = SnapshotFrom<typeof instanceMachine>

const publicStates: readonly InstanceState[] = [
  'registering',
  'virtualClusterSynced',
  'ready',
  'degraded',
  'deleting',
]

/** The public word for the state, by tag, so that the chart may be rearranged; undefined once gone. */
export const stateOf = (snapshot: InstanceSnapshot): InstanceState | undefined =>
  publicStates.find(state => snapshot.hasTag(state))

/** What must hold in every snapshot whatever happened, by the claim it breaks (design, section 4). */
const invariants: Readonly<Record<string, (snapshot: InstanceSnapshot) => boolean>> = {
  'ready is earned by facts observed since contact was made': snapshot => {
    const { credentials, controlPlane, aggregatedApi, virtualCluster, index, registration, silence } =
      snapshot.context.facts
    return (
      stateOf(snapshot) !== 'ready' ||
      (credentials?.ok === true &&
        controlPlane?.ok === true &&
        aggregatedApi?.ok === true &&
        typeof virtualCluster === 'object' &&
        virtualCluster.verdict?.holds === true &&
        index?.ok !== false &&
        typeof registration === 'object' &&
        registration.verdict?.holds !== false &&
        !silence?.virtualCluster &&
        !silence?.registration)
    )
  },
  'a replica that does not lead does not act': snapshot =>
    snapshot.context.leading || !snapshot.hasTag('acting'),
  'a requested deletion is under way at once': ({ context, ...snapshot }) =>
    snapshot.status === 'done' ||
    context.instance.metadata.deletionTimestamp === undefined ||
    context.phase === 'deleting',
  'an instance is in exactly one public state': snapshot =>
    publicStates.filter(state => snapshot.hasTag(state)).length === (snapshot.status === 'done' ? 0 : 1),
  'the phase in the status is the state of the chart': snapshot =>
    snapshot.status === 'done' || snapshot.context.phase === stateOf(snapshot),
  'nothing is made outside before the CR is claimed': snapshot =>
    snapshot.context.phase === 'deleting' ||
    (snapshot.context.instance.metadata.finalizers ?? []).length > 0 ||
    Object.keys(snapshot.context.wanted).every(
      reconciler => reconciler === 'finalizer' || reconciler === 'status',
    ),
}

/** The claims that a snapshot breaks; always empty, or there is a defect. */
export const brokenClaims = (snapshot: InstanceSnapshot): readonly string[] =>
  Object.entries(invariants)
    .filter(([, holds]) => !holds(snapshot))
    .map(([claim]) => claim)
