import { KAIRSHIP_GROUP, KAIRSHIP_VERSION } from './instance.js'
import type { KubeObject } from './kube.js'

/** `accesslocks.kairship.io/v1alpha1`, cluster-scoped. */
export const ACCESS_LOCKS = {
  group: KAIRSHIP_GROUP,
  version: KAIRSHIP_VERSION,
  resource: 'accesslocks',
} as const

/** Whom a lock is for. All that is given must match; something is. */
export interface LockTarget {
  /** Kubernetes' name of a user; of a ServiceAccount `system:serviceaccount:<namespace>:<name>`. */
  readonly user?: string
  readonly group?: string
  /** The `jti` of a token, or Kubernetes' credential-id: `X509SHA256=<hex>` of a certificate. */
  readonly tokenId?: string
  /** The Instance's name. Given alone, the lock is for everyone there. */
  readonly instance?: string
}

/** Refuses whom it is for on every door of Kairship, and ends what they have open, until it is deleted or over. */
export interface AccessLock extends KubeObject {
  readonly apiVersion: 'kairship.io/v1alpha1'
  readonly kind: 'AccessLock'
  readonly spec: LockTarget & {
    /** What those who are refused read. */
    readonly message?: string
    /** RFC 3339; from then on it refuses nobody. Never when absent. */
    readonly expiresAt?: string
  }
}

/** Characters of what a lock can name, as the CRD has it. */
export const LONGEST_LOCK_TARGET = { user: 1_024, group: 1_024, tokenId: 1_024, instance: 253 } as const

/** The fields that say whom a lock is for. */
export const LOCK_TARGET = ['user', 'group', 'tokenId', 'instance'] as const

/**
 * A lock as it is applied, of whatever the host has stored under that name: without a field of a wrong type, which then narrows nothing.
 * Undefined for one that names nobody.
 */
export function appliedLock(object: KubeObject): AccessLock | undefined {
  const { metadata } = object
  const given = 'spec' in object ? object.spec : undefined
  if (typeof given !== 'object' || given === null) return undefined
  const text = (field: string): string | undefined => {
    const value = (given as Readonly<Record<string, unknown>>)[field]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const target = Object.fromEntries(
    LOCK_TARGET.flatMap(field => {
      const value = text(field)
      return value === undefined ? [] : [[field, value]]
    }),
  )
  if (Object.keys(target).length === 0) return undefined
  const [message, expiresAt] = [text('message'), text('expiresAt')]
  const spec = { ...target, ...(message && { message }), ...(expiresAt && { expiresAt }) }
  return { apiVersion: 'kairship.io/v1alpha1', kind: 'AccessLock', metadata, spec }
}

/** When a lock is over, milliseconds since the epoch; never for one whose time cannot be read. */
export function lockEndsAt({ spec: { expiresAt } }: AccessLock): number {
  const time = Date.parse(expiresAt ?? '')
  return Number.isFinite(time) ? time : Number.POSITIVE_INFINITY
}
