import type { Call } from '../call/call.js'
import { permissionDenied } from '../errors/failure.js'
import { type Action, type Authorizer, denial } from '../identity/authorize.js'

/** A right that a handler needs beside that of its proto. @throws Failure PERMISSION_DENIED */
export async function requireRight(
  authorizer: Authorizer,
  { caller }: Pick<Call, 'caller'>,
  action: Action,
): Promise<void> {
  const verdict = await authorizer.decide(caller, action)
  if (!verdict.allowed) throw permissionDenied(denial(caller, action, verdict), { reason: 'Forbidden' })
}
