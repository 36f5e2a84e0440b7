import type { AuditDetails } from '../call/audit-details.js'

/** Characters of a message: a lock may have a thousand for each whom it names. */
const LONGEST = 2_048

/**
 * The same in words, for people:
 * - of a role `Admin in the workspace shop for User ann, until 2026-11-24T12:00:05Z, delivered by gm: incident 7`,
 * - of a lock `user ann, instance eu-west, until 2026-11-24T18:00:00.000Z: call security`,
 * - of a dry run, which has the verb and the outcome of the write that it tries, that it was one.
 */
export function messageOf(details: AuditDetails): string {
  const { dryRun, role, workspace, subjects, deliveredBy, expiresAt, reason } = details
  if (dryRun) return 'dry run: nothing is written'
  const about =
    role === undefined
      ? LOCKED.flatMap(({ field, word }) => (details[field] ? `${word} ${details[field]}` : [])).join(', ')
      : `${role}${workspace ? ` in the workspace ${workspace}` : ''} for ${subjects ?? ''}`
  const until = expiresAt ? `, until ${expiresAt}` : ''
  const by = deliveredBy ? `, delivered by ${deliveredBy}` : ''
  return `${about}${until}${by}${reason ? `: ${reason}` : ''}`.slice(0, LONGEST)
}

const LOCKED = [
  { field: 'user', word: 'user' },
  { field: 'group', word: 'group' },
  { field: 'tokenId', word: 'token' },
  { field: 'instance', word: 'instance' },
] as const
