import type { AccountIdentity, ServiceAccounts } from '../../ports/service-accounts.js'
import { accountNamespace } from './account-namespace.js'
import type { Caller } from './caller.js'

/** What is told the holder of a token whose ServiceAccount is gone. */
export const ACCOUNT_IS_GONE = 'the ServiceAccount of the token was deleted'

/** The ServiceAccount of the host that a caller is; undefined for others, and where its uid is not known. */
export function accountOf({ user, uid }: Pick<Caller, 'user' | 'uid'>): AccountIdentity | undefined {
  const namespace = accountNamespace(user)
  if (namespace === undefined || uid === undefined) return undefined
  return { namespace, name: user.slice(user.lastIndexOf(':') + 1), uid }
}

/**
 * Whether a caller is a ServiceAccount that was seen to be deleted. Its token may still be accepted: kube-apiserver remembers for ten seconds
 * that it was.
 */
export function isDeletedAccount(
  caller: Pick<Caller, 'user' | 'uid'>,
  accounts: Pick<ServiceAccounts, 'wasDeleted'> | undefined,
): boolean {
  const account = accountOf(caller)
  return account !== undefined && accounts?.wasDeleted(account.uid) === true
}
