import type { MessageInitShape } from '@bufbuild/protobuf'
import { type AccessLock, appliedLock, LONGEST_LOCK_TARGET } from '../../../manifests/access-lock.js'
import type { KubeObject } from '../../../manifests/kube.js'
import type { AccessLockSchema, CreateAccessLockRequest } from '../../../proto/gen/kairship/accesslock_pb.js'
import type { AuditDetails } from '../../call/audit-details.js'
import { type FieldViolation, invalidFields } from '../../errors/failure.js'

/** Who made a lock through Kairship. The host's own audit log has who made the others. */
export const CREATED_BY = 'kairship.io/created-by'

/** As the CRD has it. */
const LONGEST = { ...LONGEST_LOCK_TARGET, message: 1_024 } as const

/** A lock as callers receive it. */
export function lockMessageOf(object: KubeObject): MessageInitShape<typeof AccessLockSchema> {
  const { name, creationTimestamp, annotations } = object.metadata
  const { expiresAt, ...spec } = appliedLock(object)?.spec ?? {}
  return {
    ...spec,
    name,
    expiresAt: milliseconds(expiresAt),
    createdAt: milliseconds(creationTimestamp),
    createdBy: annotations?.[CREATED_BY] ?? '',
  }
}

const milliseconds = (time: string | undefined): bigint => {
  const found = Date.parse(time ?? '')
  return Number.isFinite(found) ? BigInt(found) : 0n
}

/**
 * The lock that a request is for.
 * @param now milliseconds since the epoch
 * @throws Failure INVALID_ARGUMENT for one that names nobody, or is over before it begins
 */
export function lockOf(request: CreateAccessLockRequest, createdBy: string, now: number): AccessLock {
  const { name, user, group, tokenId, instance, message, expiresAt } = request
  const texts = { user, group, tokenId, instance, message }
  const violations: FieldViolation[] = []
  if (!user && !group && !tokenId && !instance)
    violations.push({
      field: 'user',
      description: 'at least one of user, group, tokenId and instance is required',
    })
  for (const [field, most] of Object.entries(LONGEST))
    if (texts[field as keyof typeof texts].length > most)
      violations.push({ field, description: `has more than ${most} characters` })
  if (expiresAt !== 0n && (expiresAt <= BigInt(now) || expiresAt > LATEST))
    violations.push({
      field: 'expiresAt',
      description: `is ${expiresAt}: it counts milliseconds since 1970-01-01 UTC, and must be later than now`,
    })
  if (violations.length > 0) throw invalidFields(violations)
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''))
  const named = name === '' ? { generateName: 'lock-' } : { name }
  return {
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'AccessLock',
    metadata: { ...named, annotations: { [CREATED_BY]: createdBy } } as AccessLock['metadata'],
    spec: { ...given, ...(expiresAt !== 0n && { expiresAt: new Date(Number(expiresAt)).toISOString() }) },
  }
}

/** Whom a lock names, until when and why, for the audit log. */
export function detailsOf({ spec: { message, ...spec } }: AccessLock): AuditDetails {
  return { ...spec, ...(message !== undefined && { reason: message }) }
}

/** 9999-12-31, the last that RFC 3339 can say. */
const LATEST = 253_402_300_799_000n
