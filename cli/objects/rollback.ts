import { fromJson, type JsonObject, type JsonValue } from '@bufbuild/protobuf'
import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import { AppsService } from '../../proto/gen/kairship/apps_pb.js'
import {
  type ListRevisionsResponse,
  ListRevisionsResponseSchema,
  type WorkloadRevision,
} from '../../proto/gen/kairship/revision_pb.js'
import { WorkloadService } from '../../proto/gen/kairship/workload_pb.js'
import { type ObjectArgument, objectArgument } from '../arguments/object-argument.js'
import type { Client, ClientContext } from '../client/client.js'
import { CommandError, ExitCode } from '../exit-code.js'
import { ageOf, columns } from '../print/columns.js'
import { kubernetesObject } from '../print/instance-object.js'
import { printed, printedAnswer } from '../print/print.js'

interface Key {
  readonly instance: string
  readonly namespace: string
  readonly name: string
}

/** What the API does with the revisions of a kind. */
interface Revisions {
  list(key: Key): Promise<JsonValue>
  /** @returns the workload as it is then */
  rollback(request: Key & { readonly revision: string }): Promise<JsonValue>
}

const KINDS: Readonly<Record<string, (client: Client) => Revisions>> = {
  Deployment: client => {
    const apps = jsonClient(AppsService, client)
    return {
      list: key => apps.listDeploymentRevisions(key),
      rollback: async request => {
        const { deployment = {} } = (await apps.rollbackDeployment(request)) as JsonObject
        return deployment
      },
    }
  },
  StatefulSet: client => {
    const workloads = jsonClient(WorkloadService, client)
    return {
      list: key => workloads.listStatefulSetRevisions(key),
      rollback: request => workloads.rollbackStatefulSet(request),
    }
  },
  DaemonSet: client => {
    const workloads = jsonClient(WorkloadService, client)
    return {
      list: key => workloads.listDaemonSetRevisions(key),
      rollback: request => workloads.rollbackDaemonSet(request),
    }
  },
}

/**
 * `kairship rollback INSTANCE deployment/NAME [--to ID]`: gives a workload the pod template of an earlier revision; without --to the one
 * before, as kubectl does. With --list: the revisions that there are.
 */
export async function rollbackWorkload(
  context: ClientContext,
  config: Config,
  [instance = '', type = '', object = '']: readonly string[],
): Promise<ExitCode> {
  const { client, out, err, now } = context
  const wanted = objectArgument(type, object, config.inNamespace)
  const { kind, namespace, name } = wanted
  const revisions = KINDS[kind]?.(client)
  if (!revisions)
    throw new CommandError(
      `a ${kind} has no revisions: name one of ${Object.keys(KINDS).join(', ')}`,
      ExitCode.usage,
    )
  const key = { instance, namespace, name }
  const raw = await revisions.list(key)
  const listed = fromJson(ListRevisionsResponseSchema, raw, { ignoreUnknownFields: true })
  for (const { cluster, message } of listed.unread) err(`Not looked at: ${cluster}: ${message}\n`)
  if (config.list) {
    out(printedAnswer(raw, config.output) ?? table(listed, now(), config.noHeaders))
    return ExitCode.ok
  }
  const id = config.to ?? previousOf(listed, wanted)
  const isCurrent = listed.items.some(one => one.current && one.id === id)
  const workload = await revisions.rollback({ ...key, revision: id })
  const title = `${kind.toLowerCase()}.apps/${name}`
  out(
    printed(kubernetesObject(workload, wanted), config.output) ??
      (isCurrent ? `${title} is at revision ${id} already\n` : `${title} rolled back to ${id}\n`),
  )
  return ExitCode.ok
}

/**
 * The newest revision that is not the present one and is not refused; where all are, the newest, whose refusal the server explains.
 * All clusters get what it holds, so all that remember an earlier one must remember this one: one cluster alone could name its own.
 * @throws CommandError where there is none, or clusters differ
 */
function previousOf({ items }: ListRevisionsResponse, { kind, namespace, name }: ObjectArgument): string {
  const title = `${kind} ${namespace}/${name}`
  const earlier = items.filter(({ current }) => !current)
  const possible = earlier.filter(({ refusal }) => !refusal)
  const previous = possible[0] ?? earlier[0]
  if (!previous)
    throw new CommandError(`no cluster remembers an earlier revision of ${title}`, ExitCode.notFound)
  const names = ({ clusters }: WorkloadRevision) => clusters.map(({ cluster }) => cluster)
  const own = new Set(names(previous))
  const others = [...new Set(possible.flatMap(names))].filter(cluster => !own.has(cluster)).sort()
  if (others.length === 0) return previous.id
  throw new CommandError(
    `clusters differ in what ${title} was before: its newest earlier revision ${previous.id} is not known in ${others.join(', ')}. Look at --list -o json, and name one with --to`,
    ExitCode.failed,
  )
}

function table({ items }: ListRevisionsResponse, now: number, noHeaders: boolean): string {
  if (items.length === 0) return 'No revisions.\n'
  const rows = items.map(one => [
    one.id,
    stateOf(one),
    ageOf(one.creationTimestamp, now),
    one.images.join(',') || '-',
    one.clusters
      .map(({ cluster, replicas }) => `${cluster}${replicas === undefined ? '' : `=${replicas}`}`)
      .join(', '),
    one.changeCause || '-',
  ])
  const refusals = items.filter(({ refusal }) => refusal).map(({ id, refusal }) => `${id}: ${refusal}\n`)
  const text = columns(['ID', 'STATE', 'AGE', 'IMAGES', 'PODS', 'CAUSE'], rows, noHeaders).text
  return [text, ...(refusals.length > 0 ? ['\n', ...refusals] : [])].join('')
}

const stateOf = ({ current, refusal }: WorkloadRevision): string =>
  current ? 'current' : refusal ? 'refused' : 'earlier'
