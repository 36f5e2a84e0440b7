import type { Rest } from '../../client/rest.js'
import { serviceClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import { InstanceRole, InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import { CommandError, ExitCode } from '../exit-code.js'

const ROLES = { viewer: InstanceRole.VIEWER, editor: InstanceRole.EDITOR, admin: InstanceRole.ADMIN } as const

/** Seconds that an issued token may be valid; the server refuses others under the name that its field has. */
const [SHORTEST_S, LONGEST_S] = [600, 720 * 3600]
/** The same of a token that is for one instance. */
const [SHORTEST_TOKEN_S, LONGEST_TOKEN_S] = [60, 3600]

/** The kubeconfig through Kairship's proxy, without credentials. */
export async function kubeconfigOf(client: Rest, instance: string): Promise<string> {
  const answer = await serviceClient(InstanceService, client).getInstanceKubeConfig({ instance })
  return answer.kubeConfigString
}

/**
 * The kubeconfig through the proxy with a token for this instance alone (`--short-lived`), or that of the instance itself that `--role`
 * names; undefined without either.
 * @throws CommandError for settings that need one of them
 */
export async function issuedKubeconfig(
  client: Rest,
  {
    role,
    shortLived,
    scopeNamespaces,
    duration,
  }: Pick<Config, 'role' | 'shortLived' | 'scopeNamespaces' | 'duration'>,
  instance: string,
): Promise<string | undefined> {
  if (shortLived) {
    if (role !== undefined || scopeNamespaces !== undefined)
      throw new CommandError(
        '--short-lived is in your own name: leave out --role and --namespaces',
        ExitCode.usage,
      )
    if (duration !== undefined && (duration < SHORTEST_TOKEN_S || duration > LONGEST_TOKEN_S))
      throw new CommandError('--duration must be from 1m to 1h with --short-lived', ExitCode.usage)
    const request = { instance, expirationSeconds: duration ?? 0 }
    return (await serviceClient(InstanceService, client).createInstanceToken(request)).kubeConfigString
  }
  if (role === undefined) {
    if (scopeNamespaces === undefined && duration === undefined) return undefined
    throw new CommandError('--namespaces and --duration need --role or --short-lived', ExitCode.usage)
  }
  if (duration !== undefined && (duration < SHORTEST_S || duration > LONGEST_S))
    throw new CommandError('--duration must be from 10m to 720h', ExitCode.usage)
  const answer = await serviceClient(InstanceService, client).createInstanceScopedKubeConfig({
    instance,
    role: ROLES[role],
    namespaces: scopeNamespaces?.split(',') ?? [],
    expirationSeconds: duration ?? 0,
  })
  return answer.kubeConfigString
}
