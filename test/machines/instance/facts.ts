import type { Failure } from '../../../machines/failure.js'
import type { InstanceEvent } from '../../../machines/instance/events.js'
import { FINALIZER, type OutsideObject } from '../../../machines/instance/facts.js'
import type { Instance, InstanceSpec, InstanceStatus } from '../../../manifests/instance.js'
import type { ObjectMeta } from '../../../manifests/kube.js'

/** An Instance that adopts, claimed unless told otherwise. */
export function instance({
  status,
  spec = { kubeconfigSecretRef: { namespace: 'fleet', name: 'alpha' } },
  ...metadata
}: Partial<ObjectMeta> & { spec?: InstanceSpec; status?: InstanceStatus } = {}): Instance {
  return {
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'Instance',
    metadata: { name: 'alpha', uid: 'uid-alpha', finalizers: [FINALIZER], ...metadata },
    spec,
    ...(status && { status }),
  }
}

const outside = (revision: string): OutsideObject => ({ revision, deleting: false })
const failure = (reason: Failure['reason'], stage: Failure['stage']): Failure => ({
  reason,
  stage,
  message: `${stage}: ${reason}`,
})

/** Facts by the names the tables use. */
export const facts = {
  claimed: { type: 'instance.observed', instance: instance() },
  unclaimed: { type: 'instance.observed', instance: instance({ finalizers: [] }) },
  deletionAsked: {
    type: 'instance.observed',
    instance: instance({ deletionTimestamp: '2026-01-01T00:00:00Z' }),
  },
  removed: { type: 'instance.removed' },
  leading: { type: 'leadership.gained' },
  following: { type: 'leadership.lost' },
  resolved: {
    type: 'credentials.observed',
    credentials: { ok: true, endpoint: 'https://alpha:5443', fingerprint: 'one' },
  },
  rotated: {
    type: 'credentials.observed',
    credentials: { ok: true, endpoint: 'https://alpha:5443', fingerprint: 'two' },
  },
  secretMissing: {
    type: 'credentials.observed',
    credentials: { ok: false, failure: failure('SecretNotFound', 'credentials') },
  },
  healthy: {
    type: 'controlPlane.probed',
    controlPlane: { ok: true, id: 'cp-1', kubernetesVersion: 'v1.36.2' },
    aggregatedApi: { ok: true },
    fingerprint: 'one',
  },
  /** The same control plane, under the rotated kubeconfig. */
  healthyAfterRotation: {
    type: 'controlPlane.probed',
    controlPlane: { ok: true, id: 'cp-1', kubernetesVersion: 'v1.36.2' },
    aggregatedApi: { ok: true },
    fingerprint: 'two',
  },
  /** Another control plane, under the rotated kubeconfig. */
  anotherHealthy: {
    type: 'controlPlane.probed',
    controlPlane: { ok: true, id: 'cp-2', kubernetesVersion: 'v1.36.2' },
    aggregatedApi: { ok: true },
    fingerprint: 'two',
  },
  /** A cluster that is no Karmada. */
  plainCluster: {
    type: 'controlPlane.probed',
    controlPlane: { ok: true, id: 'cp-1', kubernetesVersion: 'v1.36.2' },
    aggregatedApi: { ok: false, failure: failure('NotServed', 'aggregated API') },
    fingerprint: 'one',
  },
  unreachable: {
    type: 'controlPlane.probed',
    controlPlane: { ok: false, failure: failure('Unreachable', 'control plane') },
    aggregatedApi: { ok: false, failure: failure('Unreachable', 'aggregated API') },
  },
  aggregatedDown: {
    type: 'controlPlane.probed',
    controlPlane: { ok: true, id: 'cp-1', kubernetesVersion: 'v1.36.2' },
    aggregatedApi: { ok: false, failure: failure('Unavailable', 'aggregated API') },
    fingerprint: 'one',
  },
  contactLost: { type: 'controlPlane.contactLost' },
  distinct: { type: 'duplicate.observed' },
  duplicate: { type: 'duplicate.observed', first: { name: 'first', shares: 'control plane' } },
  noVirtualCluster: { type: 'virtualCluster.observed', virtualCluster: 'absent' },
  syncing: {
    type: 'virtualCluster.observed',
    virtualCluster: {
      ...outside('vc-1'),
      verdict: { holds: false, reason: 'Syncing', message: 'reading deployments' },
    },
  },
  synced: {
    type: 'virtualCluster.observed',
    virtualCluster: {
      ...outside('vc-1'),
      verdict: { holds: true, reason: 'Synced', message: 'all types are synced' },
    },
  },
  moving: { type: 'index.measured', index: { ok: true } },
  stalled: {
    type: 'index.measured',
    index: { ok: false, failure: failure('Stalled', 'virtual cluster') },
  },
  impersonated: { type: 'impersonation.answered', impersonation: { ok: true } },
  notImpersonated: {
    type: 'impersonation.answered',
    impersonation: { ok: false, failure: failure('ImpersonationRefused', 'control plane') },
  },
  unregistered: { type: 'registration.observed', registration: 'absent' },
  registered: { type: 'registration.observed', registration: outside('reg-1') },
  refused: {
    type: 'registration.observed',
    registration: {
      ...outside('reg-1'),
      verdict: { holds: false, reason: 'Refused', message: 'no such workspace' },
    },
  },
  bindings: { type: 'roleBindings.observed', roleBindings: { revision: 'rb-1', count: 2 } },
  noBindings: { type: 'roleBindings.observed', roleBindings: { revision: 'none', count: 0 } },
  notInstalled: { type: 'installation.observed', installation: 'absent' },
  hostLost: {
    type: 'host.contactLost',
    of: 'virtualCluster',
    failure: failure('Unreachable', 'virtual cluster'),
  },
  registrationsLost: {
    type: 'host.contactLost',
    of: 'registration',
    failure: failure('Forbidden', 'registration'),
  },
  virtualClusterNotServed: {
    type: 'host.contactLost',
    of: 'virtualCluster',
    failure: failure('NotServed', 'virtual cluster'),
  },
  hostBack: { type: 'host.contactMade', of: 'virtualCluster' },
} as const satisfies Record<string, InstanceEvent>

/** The name of a fact. */
export type FactName = keyof typeof facts
