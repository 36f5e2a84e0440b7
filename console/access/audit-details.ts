import type { AuditDetails, AuditEvent } from '../../proto/gen/kairship/audit_pb.js'
import { shownName } from '../parts/shown-name.js'
import type { accessEn } from '../words/access.js'

type AuditWords = (typeof accessEn)['audit']

const LOCKED = ['user', 'group', 'tokenId', 'instance'] as const

/** What an event says beside its object, in the reader's language: of which role or lock it is, or that it was a dry run. Empty where there is nothing to say. */
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

/** What an event is about: where the object is, its name, and what became of it. */
export const placeOf = (
  { instance, cluster, resource, namespace, name, details }: AuditEvent,
  words: AuditWords,
): string =>
  [instance, cluster, [resource, namespace, name].filter(Boolean).join(' '), auditDetails(details, words)]
    .filter(Boolean)
    .join(' · ')
