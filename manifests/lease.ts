import type { GroupVersionResource, KubeObject } from './kube.js'

/** `leases.coordination.k8s.io/v1`, namespaced. */
export const LEASES: GroupVersionResource = {
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
}

/** coordination.k8s.io/v1 Lease. Times are MicroTime: RFC 3339 with microseconds, by the holder's own clock. */
export interface Lease extends KubeObject {
  readonly spec?: {
    /** The holder; empty or absent without one. */
    readonly holderIdentity?: string
    readonly leaseDurationSeconds?: number
    readonly acquireTime?: string
    readonly renewTime?: string
    /** How often it changed hands. */
    readonly leaseTransitions?: number
  }
}

/** The holder as an identity, '' without one. */
export const leaseHolder = ({ spec }: Lease): string => spec?.holderIdentity ?? ''

/** Who writes the lease, where and when. */
export interface LeaseClaim {
  readonly namespace: string
  readonly name: string
  readonly identity: string
  /** How long others must wait after the last renewal; rounded up to whole seconds, which is all a Lease can say. */
  readonly leaseDurationMs: number
  /** Milliseconds since the epoch. For people only: no decision uses the clock of another replica. */
  readonly wallClock: number
}

/**
 * The lease with us as its holder: created, taken over or renewed. What else the object carries stays, its
 * resourceVersion included, so that the write fails if it was written in between.
 */
export function claimed(lease: Lease | 'absent', claim: LeaseClaim): Lease {
  const now = microTime(claim.wallClock)
  const before = lease === 'absent' ? undefined : lease.spec
  const ours = before?.holderIdentity === claim.identity
  const transitions = before?.leaseTransitions ?? 0
  return {
    ...(lease === 'absent' ? blank(claim) : lease),
    spec: {
      holderIdentity: claim.identity,
      leaseDurationSeconds: Math.ceil(claim.leaseDurationMs / 1000),
      acquireTime: (ours && before?.acquireTime) || now,
      renewTime: now,
      leaseTransitions: ours || lease === 'absent' ? transitions : transitions + 1,
    },
  }
}

/**
 * The lease given back: any replica may take it at once. It has no holder, and not the holder '': newer API servers refuse an empty
 * holderIdentity, and older clients read an absent one the same way.
 */
export const released = (lease: Lease, wallClock: number): Lease => {
  const { holderIdentity: _, ...spec } = lease.spec ?? {}
  return { ...lease, spec: { ...spec, leaseDurationSeconds: 1, renewTime: microTime(wallClock) } }
}

const blank = ({ namespace, name }: LeaseClaim): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace, name, labels: { 'app.kubernetes.io/managed-by': 'kairship' } },
})

const microTime = (epochMs: number): string => new Date(epochMs).toISOString().replace(/Z$/, '000Z')
