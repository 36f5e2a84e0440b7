import { allPages } from '../../client/pages.js'
import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import { InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import { SortBy, SortDir } from '../../proto/gen/kairship/types_pb.js'
import { labelSelector } from '../arguments/label-selector.js'
import type { ClientContext } from '../client/client.js'
import { CommandError, ExitCode } from '../exit-code.js'
import { age, columns } from '../print/columns.js'
import { instanceListObject, instanceObject } from '../print/instance-object.js'
import { printed } from '../print/print.js'
import {
  type InstanceMessage,
  type InstanceWatchMessage,
  instanceList,
  instanceMessage,
  instanceWatchMessage,
} from './instance-message.js'

/** `kairship get instances [name...]` */
export async function getInstances(
  context: ClientContext,
  config: Config,
  names: readonly string[],
): Promise<ExitCode> {
  const select = labelSelector(config.selector ?? '')
  if (config.watch) return watchInstances(context, config, names, select)
  const single = names.length === 1 && config.selector === undefined
  const messages = single ? [await getOne(context, names[0] ?? '')] : await list(context, names, select)
  const object = single ? instanceObject(messages[0]) : instanceListObject(messages)
  context.out(
    printed(object, config.output, config.noHeaders) ??
      table(
        messages.map(message => instanceMessage.parse(message)),
        config,
        context.now(),
      ),
  )
  return ExitCode.ok
}

type Select = ReturnType<typeof labelSelector>

const getOne = ({ client }: ClientContext, name: string): Promise<unknown> =>
  jsonClient(InstanceService, client).getInstance({ name })

/** The selected instances, as the server sent them. */
async function list({ client }: ClientContext, names: readonly string[], select: Select): Promise<unknown[]> {
  const inOrder = { sortBy: SortBy.field_name, sortDir: SortDir.asc }
  const instances = jsonClient(InstanceService, client)
  const items = await allPages(async page =>
    instanceList.parse(await instances.listInstances({ ...inOrder, ...page })),
  )
  const found = items.map(raw => ({ raw, metadata: instanceMessage.parse(raw).metadata }))
  const missing = names.filter(name => !found.some(({ metadata }) => metadata.name === name))
  if (missing.length > 0) throw new CommandError(`no such instance: ${missing.join(', ')}`, ExitCode.notFound)
  return found
    .filter(
      ({ metadata }) => (names.length === 0 || names.includes(metadata.name)) && select(metadata.labels),
    )
    .map(({ raw }) => raw)
}

const header = ['NAME', 'PHASE', 'KARMADA', 'KUBERNETES', 'CLUSTERS', 'AGE']
const wideHeader = [...header, 'NODES', 'ENDPOINT', 'MESSAGE']

/** One line about an instance; `-` where nothing is known. */
function cells({ metadata, status }: InstanceMessage, now: number, wide: boolean): readonly string[] {
  const { clusterSummary, nodeSummary } = status?.summary ?? {}
  const narrow = [
    metadata.name,
    phaseOf(status),
    status?.karmadaVersion || '-',
    status?.kubernetesVersion || '-',
    clusterSummary ? `${clusterSummary.readyNum}/${clusterSummary.totalNum}` : '-',
    metadata.creationTimestamp ? age(metadata.creationTimestamp, now) : '-',
  ]
  if (!wide) return narrow
  const ready = status?.conditions.find(({ type }) => type === 'Ready')
  return [
    ...narrow,
    nodeSummary ? `${nodeSummary.readyNum}/${nodeSummary.totalNum}` : '-',
    status?.endpoint || '-',
    (ready?.status !== 'True' && ready?.message) || '-',
  ]
}

/** The phases of the states of the contract, for a server that sends no phase. */
const phases: Readonly<Record<string, string>> = {
  INSTANCE_STATE_INPROCESS: 'Registering',
  INSTANCE_STATE_RUNNING: 'Ready',
  INSTANCE_STATE_UNAVAILABLE: 'Degraded',
  INSTANCE_STATE_TERMINAL: 'Deleting',
}

/** The phase of an instance, spelled as in the CR and by kubectl. */
export const phaseOf = (status: InstanceMessage['status']): string =>
  status?.phase || phases[status?.state ?? ''] || 'Unknown'

function table(instances: readonly InstanceMessage[], config: Config, now: number): string {
  if (instances.length === 0) return 'No instances.\n'
  const wide = config.output === 'wide'
  return columns(
    wide ? wideHeader : header,
    instances.map(instance => cells(instance, now, wide)),
    config.noHeaders,
  ).text
}

/** Pause before a broken watch is resumed: long enough not to hammer, short enough not to be missed by a person. */
const resumePauseMs = 1_000

/** Prints changes until interrupted. A watch that breaks is resumed where it broke. */
async function watchInstances(
  context: ClientContext,
  config: Config,
  names: readonly string[],
  select: Select,
): Promise<ExitCode> {
  const { client, err, signal, pause } = context
  const name = names.length === 1 ? (names[0] ?? '') : ''
  const isWanted = ({ metadata }: InstanceMessage): boolean =>
    (names.length === 0 || names.includes(metadata.name)) && select(metadata.labels)
  const print = changePrinter(context, config, isWanted)
  const instances = jsonClient(InstanceService, client)
  let resumeToken = ''
  while (!signal.aborted) {
    try {
      for await (const raw of instances.watchInstances({ name, resumeToken }, { signal })) {
        const message = instanceWatchMessage.parse(raw)
        resumeToken = message.resumeToken || resumeToken
        print(message)
      }
    } catch (error) {
      if (signal.aborted) break
      // A refusal stays one however often the watch is tried; a broken connection may heal.
      if (resumeToken === '' || (error instanceof CommandError && error.exitCode !== ExitCode.failed))
        throw error
      err(`watch broken, resuming: ${error instanceof Error ? error.message : String(error)}\n`)
    }
    await pause(resumePauseMs, signal)
  }
  return ExitCode.ok
}

/** Prints changes as they come: as events of a Kubernetes watch in JSON, else objects, or rows of which something shown differs. */
function changePrinter(
  { out, now }: ClientContext,
  config: Config,
  isWanted: (instance: InstanceMessage) => boolean,
): (message: InstanceWatchMessage) => void {
  const wide = config.output === 'wide'
  const titles = wide ? wideHeader : header
  const line = columns(titles, [titles.map(() => ' '.repeat(14))]).row
  if ((config.output === 'table' || wide) && !config.noHeaders) out(line(titles))
  /** What was printed last of each instance. */
  const rows = new Map<string, string>()
  const ageColumn = header.indexOf('AGE')
  return ({ type, instance: raw }) => {
    if (!raw) return
    const instance = instanceMessage.parse(raw)
    const { name } = instance.metadata
    // An instance whose labels stop matching is gone from the selection.
    const isGone = type === 'DELETED' || !isWanted(instance)
    if (isGone && !rows.has(name) && !isWanted(instance)) return
    const row = isGone ? [name, 'gone'] : cells(instance, now(), wide)
    const shownNow = row.filter((_, column) => column !== ageColumn).join('\0')
    const isRepeated = rows.get(name) === shownNow
    if (isGone) rows.delete(name)
    else rows.set(name, shownNow)
    const object = instanceObject(raw)
    if (config.output === 'json') out(`${JSON.stringify({ type: isGone ? 'DELETED' : type, object })}\n`)
    else if (config.output === 'yaml') out(`---\n${printed(object, 'yaml')}`)
    else if (config.output === 'table' || wide) {
      if (!isRepeated) out(line(row))
    } else out(printed(object, config.output, true) ?? '')
  }
}
