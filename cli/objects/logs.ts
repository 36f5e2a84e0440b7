import { fromJson } from '@bufbuild/protobuf'
import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import {
  type StreamWorkloadLogsResponse,
  StreamWorkloadLogsResponseSchema,
  StreamWorkloadLogsResponse_Type as Type,
  WorkloadPodsService,
} from '../../proto/gen/kairship/workload_pods_pb.js'
import { objectArgument } from '../arguments/object-argument.js'
import type { ClientContext } from '../client/client.js'
import { ExitCode } from '../exit-code.js'
import { oneLine } from '../print/printable.js'

/**
 * `kairship logs INSTANCE deployment/NAME`: what the pods of a workload write in all member clusters, by time. Lines go to the output, all
 * else to the errors.
 * @returns `failed` where a cluster or container could not be read; what is followed is tried again, and ends with Ctrl-C
 */
export async function workloadLogs(
  { client, out, err, signal }: ClientContext,
  config: Config,
  [instance = '', type = '', object = '']: readonly string[],
): Promise<ExitCode> {
  const { kind, namespace, name } = objectArgument(type, object, config.inNamespace)
  const request = {
    ...{ instance, kind, namespace, name },
    clusters: [...(config.member?.split(',') ?? [])],
    containers: [...(config.container?.split(',') ?? [])],
    follow: config.follow,
    ...(config.tail !== undefined && { tailLines: BigInt(config.tail) }),
    ...(config.since !== undefined && { sinceSeconds: BigInt(config.since) }),
  }
  let isWhole = true
  let isEmpty = true
  try {
    for await (const raw of jsonClient(WorkloadPodsService, client).streamWorkloadLogs(request, { signal })) {
      const message = fromJson(StreamWorkloadLogsResponseSchema, raw, { ignoreUnknownFields: true })
      isEmpty = false
      if (message.type === Type.UNREAD) isWhole = false
      if (config.output === 'json') out(`${JSON.stringify(raw)}\n`)
      else if (message.type === Type.LINE) out(lineText(message))
      else err(noteText(message))
    }
  } catch (error) {
    if (!signal.aborted) throw error
    return ExitCode.ok
  }
  if (isEmpty)
    err(
      `No logs: ${kind} ${namespace}/${name} has no pods in any cluster, or they have written nothing. See: kairship trace ${instance} ${kind.toLowerCase()} ${namespace}/${name}\n`,
    )
  return isWhole ? ExitCode.ok : ExitCode.failed
}

const sourceOf = ({ cluster, pod, container }: StreamWorkloadLogsResponse): string =>
  [cluster, pod, container].filter(part => part !== '').join('/')

/** `[eu-west-a/shop-5d8f-x2x/main] text`, as `kubectl logs --prefix` has it, with the cluster in front. */
const lineText = (message: StreamWorkloadLogsResponse): string =>
  `[${sourceOf(message)}] ${oneLine(message.text)}${message.truncated ? '… (the line is longer)' : ''}\n`

/** What is no line of a log. */
function noteText(message: StreamWorkloadLogsResponse): string {
  const source = sourceOf(message)
  switch (message.type) {
    case Type.JOINED:
      return `${source}: followed from now on\n`
    case Type.ENDED:
      return `${source}: over: ${message.message}\n`
    case Type.UNREAD:
      return `Not read: ${source}: ${message.message}\n`
    default:
      return ''
  }
}
