import { fromJson, type JsonObject } from '@bufbuild/protobuf'
import { ApiError } from '../../client/errors.js'
import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import {
  type InstanceRoleBinding,
  InstanceRoleBindingSchema,
  ListInstanceRoleBindingsResponseSchema,
  ListWorkspaceRoleBindingsResponseSchema,
  RoleBindingService,
  type WorkspaceRoleBinding,
  WorkspaceRoleBindingSchema,
} from '../../proto/gen/kairship/rolebinding_pb.js'
import { Code } from '../../transcoding/code.js'
import type { ClientContext } from '../client/client.js'
import { CommandError, ExitCode } from '../exit-code.js'
import { ageOf, columns } from '../print/columns.js'
import { printedAnswer } from '../print/print.js'
import { oneLine } from '../print/printable.js'
import { timeText } from '../print/time-text.js'
import { bindingName, roleArgument } from './role-argument.js'

type Binding = InstanceRoleBinding | WorkspaceRoleBinding
const IN_WORKSPACE = 'workspace/'
const known = { ignoreUnknownFields: true } as const

/** `kairship roles [eu-west | workspace/shop]`: who was given which role; of all instances and workspaces without a word. */
export async function listRoles(
  { client, out, err, now }: ClientContext,
  { output, noHeaders }: Config,
  [word = '', ...more]: readonly string[],
): Promise<ExitCode> {
  if (more.length > 0)
    throw new CommandError('name one instance, one workspace/NAME, or nothing for all', ExitCode.usage)
  const service = jsonClient(RoleBindingService, client)
  const workspace = word.startsWith(IN_WORKSPACE) ? word.slice(IN_WORKSPACE.length) : undefined
  if (workspace === '') throw new CommandError('workspace/ has no name after it', ExitCode.usage)
  const instance = word.replace(/^instance\//, '')
  if (word !== '' && instance === '') throw new CommandError('instance/ has no name after it', ExitCode.usage)
  const onInstances =
    workspace === undefined ? await service.listInstanceRoleBindings({ instance }) : undefined
  const inWorkspaces =
    word === '' || workspace !== undefined
      ? await service.listWorkspaceRoleBindings({ workspace: workspace ?? '' })
      : undefined
  const bindings = [
    ...(onInstances ? fromJson(ListInstanceRoleBindingsResponseSchema, onInstances, known).items : []),
    ...(inWorkspaces ? fromJson(ListWorkspaceRoleBindingsResponseSchema, inWorkspaces, known).items : []),
  ]
  const answer = {
    instanceRoleBindings: (onInstances as JsonObject | undefined)?.items ?? [],
    workspaceRoleBindings: (inWorkspaces as JsonObject | undefined)?.items ?? [],
  }
  out(printedAnswer(answer, output, bindings.map(handleOf)) ?? table(bindings, now(), noHeaders))
  for (const binding of bindings) warn(err, binding)
  return ExitCode.ok
}

/** `kairship give-role Editor group/dev instance/eu-west [-n shop] [--for 2h] [--reason …]`: makes a role binding. */
export async function giveRole(
  { client, out, err, now }: ClientContext,
  { roleName, roleNamespaces, roleFor, reason = '', output }: Config,
  words: readonly string[],
): Promise<ExitCode> {
  const given = roleArgument(words)
  const namespaces = roleNamespaces?.split(',') ?? []
  const { role, subjects, place } = given
  if (place.kind === 'workspace' && namespaces.length > 0)
    throw new CommandError(
      'a role in a workspace is on all that belongs to it: --namespace is for a role on an instance',
      ExitCode.usage,
    )
  const name = roleName ?? bindingName(given, namespaces)
  const expiresAt = roleFor === undefined ? '' : timeText(now() + roleFor * 1_000)
  const common = { name, role, subjects: [...subjects], reason, expiresAt }
  const service = jsonClient(RoleBindingService, client)
  const onInstance = place.kind === 'instance'
  const raw = await (onInstance
    ? service.createInstanceRoleBinding({ binding: { ...common, instance: place.name, namespaces } })
    : service.createWorkspaceRoleBinding({ binding: { ...common, workspace: place.name } })
  ).catch((error: unknown) => {
    const { cause } = error instanceof Error ? error : {}
    if (!(cause instanceof ApiError) || cause.code !== Code.ALREADY_EXISTS) throw error
    const handle = onInstance ? name : `${IN_WORKSPACE}${name}`
    throw new CommandError(
      `${handle} is there already${roleName === undefined ? ', by which the same is given' : ''}: take it away first (kairship take-role ${handle}), or give this one another name (--name)`,
      ExitCode.failed,
      { cause },
    )
  })
  const made: Binding = onInstance
    ? fromJson(InstanceRoleBindingSchema, raw, known)
    : fromJson(WorkspaceRoleBindingSchema, raw, known)
  const until = made.expiresAt ? `, until ${made.expiresAt}` : ''
  out(
    printedAnswer(raw, output, [handleOf(made)]) ??
      `${handleOf(made)}: ${made.role} on ${whereOf(made)} for ${whomOf(made)}${until}; take it away: kairship take-role ${handleOf(made)}\n`,
  )
  warn(err, made)
  return ExitCode.ok
}

/** `kairship take-role NAME…`: deletes role bindings, of a workspace by `workspace/NAME`, as `kairship roles` prints it. */
export async function takeRole({ client, out }: ClientContext, names: readonly string[]): Promise<ExitCode> {
  for (const word of names)
    if (word === '' || word === IN_WORKSPACE || word.replace(IN_WORKSPACE, '').includes('/'))
      throw new CommandError(
        `${JSON.stringify(word)} is no role binding: write NAME, or workspace/NAME, as "kairship roles" prints it`,
        ExitCode.usage,
      )
  const service = jsonClient(RoleBindingService, client)
  for (const word of names) {
    if (word.startsWith(IN_WORKSPACE))
      await service.deleteWorkspaceRoleBinding({ name: word.slice(IN_WORKSPACE.length) })
    else await service.deleteInstanceRoleBinding({ name: word })
    out(`${word}: taken away\n`)
  }
  return ExitCode.ok
}

function table(bindings: readonly Binding[], now: number, noHeaders: boolean): string {
  if (bindings.length === 0) return 'No role is given.\n'
  const rows = bindings.map(binding => [
    handleOf(binding),
    binding.role,
    whomOf(binding),
    whereOf(binding),
    endOf(binding.expiresAt, now),
    ageOf(binding.creationTimestamp, now),
    binding.delivered ? 'Global Management' : '-',
    binding.reason || '-',
  ])
  return columns(['NAME', 'ROLE', 'WHOM', 'WHERE', 'ENDS', 'AGE', 'DELIVERED BY', 'REASON'], rows, noHeaders)
    .text
}

/** By what `take-role` takes it. */
const handleOf = (binding: Binding): string =>
  'workspace' in binding ? `${IN_WORKSPACE}${binding.name}` : binding.name

const whomOf = ({ subjects }: Binding): string =>
  subjects
    .map(
      ({ kind, namespace, name }) =>
        `${kind.toLowerCase()}/${namespace === '' ? '' : `${namespace}/`}${name}`,
    )
    .join(' ')

function whereOf(binding: Binding): string {
  if ('workspace' in binding) return `workspace/${binding.workspace}`
  const { instance, namespaces } = binding
  return `instance/${instance}${namespaces.length > 0 ? `, namespaces ${namespaces.join(', ')}` : ''}`
}

const endOf = (expiresAt: string, now: number): string =>
  expiresAt === '' ? 'never' : Date.parse(expiresAt) <= now ? 'is over' : expiresAt

/** What the server warns of, beside the answer: programs read that. */
function warn(err: ClientContext['err'], binding: Binding): void {
  const made = binding.conditions.find(({ type }) => type === 'Materialized')
  // That there is no such instance is among the warnings already.
  const isBroken = made?.status === 'False' && made.reason !== 'InstanceNotFound'
  const broken = isBroken ? [`it is not in effect as a whole: ${made.message}`] : []
  for (const warning of [...broken, ...binding.warnings])
    err(`Warning: ${handleOf(binding)}: ${oneLine(warning)}\n`)
}
