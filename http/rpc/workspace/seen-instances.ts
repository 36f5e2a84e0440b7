import type { Call } from '../../call/call.js'
import type { Authorizer } from '../../identity/authorize.js'

/**
 * Which instances a caller's list of them shows now: asked each time, as far as the authorizer does not remember it for seconds. The `maySee` of
 * a watch would ask for the right to watch alone.
 */
export function seesInstance(
  authorizer: Authorizer,
  { caller, isOpen }: Pick<Call, 'caller' | 'isOpen'>,
): (name: string) => Promise<boolean> {
  const may = async (verb: string, name?: string) =>
    (await authorizer.decide(caller, { verb, resource: 'instances', ...(name && { name }) })).allowed
  return async name => isOpen(name) && (((await may('list')) && (await may('watch'))) || may('get', name))
}
