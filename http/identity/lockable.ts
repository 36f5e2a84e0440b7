import { LONGEST_LOCK_TARGET } from '../../manifests/access-lock.js'
import type { Caller } from './caller.js'

/**
 * Why no AccessLock could name a caller, one of its groups or its token, in words for its holder; undefined where one can. Whoever could not be
 * locked is not let in.
 */
export function whyNotLockable({ user, groups, credential }: Caller): string | undefined {
  const { user: longestUser, group: longestGroup, tokenId: longestId } = LONGEST_LOCK_TARGET
  if (user.length > longestUser) return tooLong('its username', user, longestUser)
  const group = groups.find(({ length }) => length > longestGroup)
  if (group !== undefined) return tooLong('one of its groups', group, longestGroup)
  const { id = '' } = credential ?? {}
  return id.length > longestId ? tooLong('its id', id, longestId) : undefined
}

const tooLong = (what: string, { length }: string, most: number): string =>
  `${what} has ${length} characters: an AccessLock can name ${most} at most`
