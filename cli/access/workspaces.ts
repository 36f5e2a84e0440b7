import { fromJson, type JsonObject, type JsonValue } from '@bufbuild/protobuf'
import { allPages, type PageFields } from '../../client/pages.js'
import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import {
  Action,
  ListInstancesResponseSchema,
  ListNamespaceInstancesResponseSchema,
  ListWorkspacesResponseSchema,
  WorkspaceService,
} from '../../proto/gen/kairship/workspace_pb.js'
import type { ClientContext } from '../client/client.js'
import { CommandError, ExitCode } from '../exit-code.js'
import { columns } from '../print/columns.js'
import { printedAnswer } from '../print/print.js'

const known = { ignoreUnknownFields: true } as const

/** `kairship workspace list [name]`: the workspaces, and the instances and namespaces that belong to each. */
export async function listWorkspaces(
  { client, out, err }: ClientContext,
  { output, noHeaders }: Config,
  [name = '', ...more]: readonly string[],
): Promise<ExitCode> {
  if (more.length > 0) throw new CommandError('name one workspace, or nothing for all', ExitCode.usage)
  const service = jsonClient(WorkspaceService, client)
  const unread = new Set<string>()
  const workspaces = await rowsOf(page => service.listWorkspaces({ workspace: name, ...page }))
  const instances = await rowsOf(page => service.listInstances(page))
  const namespaces = await rowsOf(async page => {
    const answer = await service.listNamespaceInstances(page)
    for (const one of fromJson(ListNamespaceInstancesResponseSchema, answer, known).unreadInstances)
      unread.add(one)
    return answer
  })
  const answer = {
    workspaces: workspaces.filter(row => name === '' || workspaceIn(row) === name),
    instances: instances.filter(row => isBound(row, name)),
    namespaces: namespaces.filter(row => isBound(row, name)),
    unreadInstances: [...unread],
  }
  if (name !== '' && answer.workspaces.length === 0)
    throw new CommandError(`no such workspace: ${name}`, ExitCode.notFound)
  out(printedAnswer(answer, output, answer.workspaces.map(workspaceIn)) ?? table(answer, noHeaders))
  if (unread.size > 0)
    err(
      `Warning: namespaces of these instances could not be read, so some may be missing: ${[...unread].join(', ')}\n`,
    )
  return ExitCode.ok
}

/** `kairship workspace bind shop instance/eu-west [-n checkout]`: they belong to the workspace from now on. */
export const bindToWorkspace = (context: ClientContext, config: Config, words: readonly string[]) =>
  change(context, config, words, Action.BIND)

/** `kairship workspace unbind shop instance/eu-west [-n checkout]`: they belong to it no more. */
export const unbindFromWorkspace = (context: ClientContext, config: Config, words: readonly string[]) =>
  change(context, config, words, Action.UNBIND)

async function change(
  { client, out }: ClientContext,
  { boundNamespaces, output }: Config,
  words: readonly string[],
  action: Action,
): Promise<ExitCode> {
  const { workspace, instances } = argumentOf(words)
  const service = jsonClient(WorkspaceService, client)
  const said =
    action === Action.BIND
      ? `belongs to workspace/${workspace}`
      : `no longer belongs to workspace/${workspace}`
  const common = { workspace: { workspace }, action }
  const answers: JsonValue[] = []
  const done = (answer: JsonValue, what: string) => {
    answers.push(answer)
    // At once: the next one may be refused.
    if (output === 'table') out(`${what} ${said}\n`)
  }
  for (const instance of instances)
    if (boundNamespaces === undefined)
      done(await service.bindInstances({ instance, ...common }), `instance/${instance}`)
    else
      for (const namespace of boundNamespaces.split(','))
        done(
          await service.bindNamespaceInstances({ instance, namespace, ...common }),
          `namespace ${namespace} of instance/${instance}`,
        )
  const [only, ...more] = answers
  out(printedAnswer(more.length === 0 && only !== undefined ? only : { items: answers }, output) ?? '')
  return ExitCode.ok
}

/** @throws CommandError for words that are not one workspace and some instances */
function argumentOf([word = '', ...words]: readonly string[]) {
  const workspace = word.replace(/^workspace\//, '')
  const instances = words.map(one => one.replace(/^instance\//, ''))
  for (const name of [workspace, ...instances])
    if (name === '' || name.includes('/'))
      throw new CommandError(
        'name a workspace, and then instances: workspace bind shop instance/eu-west; -n names namespaces of them',
        ExitCode.usage,
      )
  return { workspace, instances }
}

type Row = JsonObject

const rowsOf = (list: (page: PageFields) => Promise<JsonValue>): Promise<readonly Row[]> =>
  allPages(async page => {
    const { items = [], pagination = {} } = (await list(page)) as {
      readonly items?: readonly Row[]
      readonly pagination?: { readonly nextPageToken?: string }
    }
    return { items, pagination }
  })

/** The workspace of a row of any of the three lists. */
function workspaceIn({ workspace }: Row): string {
  if (typeof workspace === 'string') return workspace
  const name = (workspace as JsonObject | null | undefined)?.workspace
  return typeof name === 'string' ? name : ''
}

const isBound = (row: Row, name: string): boolean =>
  workspaceIn(row) !== '' && (name === '' || workspaceIn(row) === name)

function table(
  answer: Record<'workspaces' | 'instances' | 'namespaces', readonly Row[]>,
  noHeaders: boolean,
): string {
  const workspaces = fromJson(ListWorkspacesResponseSchema, { items: [...answer.workspaces] }, known).items
  if (workspaces.length === 0) return 'There is no workspace.\n'
  const { items: instances } = fromJson(ListInstancesResponseSchema, { items: [...answer.instances] }, known)
  const { items: namespaces } = fromJson(
    ListNamespaceInstancesResponseSchema,
    { items: [...answer.namespaces] },
    known,
  )
  const rows = workspaces.map(({ workspace, workspaceId }) => [
    workspace,
    String(workspaceId),
    listed(instances.filter(one => one.workspace?.workspace === workspace).map(({ instance }) => instance)),
    listed(
      namespaces
        .filter(one => one.workspace?.workspace === workspace)
        .map(({ instance, namespace }) => `${instance}/${namespace}`),
    ),
  ])
  return columns(['WORKSPACE', 'ID', 'INSTANCES', 'NAMESPACES'], rows, noHeaders).text
}

const listed = (names: readonly string[]): string => (names.length === 0 ? '-' : [...names].sort().join(', '))
