import type { AuditDetails, AuditEvent } from '../../proto/gen/kairship/audit_pb.js'
import { shownName } from '../parts/shown-name.js'
import type { accessEn } from '../words/access.js'

type AuditWords = (typeof accessEn)['audit']

const LOCKED = ['user', 'group', 'tokenId', 'instance'] as const

/** Further details of an audit event: its role or lock, or that it was a dry run. Empty where there are none. */
export function auditDetails(details: AuditDetails | undefined, words: AuditWords): string {
  if (!details) return ''
  const { dryRun, role, subjects, workspace, deliveredBy, expiresAt, reason } = details
  if (dryRun) return words.dryRun
  const about = role
    ? [words.role(role, shownName(subjects)), workspace && words.inWorkspace(workspace)]
    : LOCKED.map(field => details[field] && `${words.locked[field]} ${shownName(details[field])}`)
  return [
    ...about,
    expiresAt && words.until(expiresAt),
    deliveredBy && words.deliveredBy(deliveredBy),
    reason && words.why(shownName(reason)),
  ]
    .filter(Boolean)
    .join(' · ')
}

/** The object of an event: its place, its name, and what happened to it. */
export const placeOf = (
  { instance, cluster, resource, namespace, name, details }: AuditEvent,
  words: AuditWords,
): string =>
  [instance, cluster, [resource, namespace, name].filter(Boolean).join(' '), auditDetails(details, words)]
    .filter(Boolean)
    .join(' · ')
