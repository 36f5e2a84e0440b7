import type { Rest } from '../../client/rest.js'
import { serviceClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import { InstanceRole, InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import { CommandError, ExitCode } from '../exit-code.js'

const ROLES = { viewer: InstanceRole.VIEWER, editor: InstanceRole.EDITOR, admin: InstanceRole.ADMIN } as const

/** Seconds that an issued token may be valid; the server refuses others under the name that its field has. */
const [SHORTEST_S, LONGEST_S] = [600, 720 * 3600]

/** The kubeconfig through Kairship's proxy, without credentials. */
export async function kubeconfigOf(client: Rest, instance: string): Promise<string> {
  const answer = await serviceClient(InstanceService, client).getInstanceKubeConfig({ instance })
  return answer.kubeConfigString
}

/**
 * The kubeconfig of the instance itself that `--role` names, with its own token; undefined without it.
 * @throws CommandError for settings that need `--role`
 */
export async function issuedKubeconfig(
  client: Rest,
  { role, scopeNamespaces, duration }: Pick<Config, 'role' | 'scopeNamespaces' | 'duration'>,
  instance: string,
): Promise<string | undefined> {
  if (role === undefined) {
    if (scopeNamespaces === undefined && duration === undefined) return undefined
    throw new CommandError('--namespaces and --duration need --role', ExitCode.usage)
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
