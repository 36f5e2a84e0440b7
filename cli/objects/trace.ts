import { fromJson } from '@bufbuild/protobuf'
import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import {
  PlacementService,
  type TraceLink,
  TraceLink_State,
  TraceLink_Step,
  type TracePropagationResponse,
  TracePropagationResponseSchema,
} from '../../proto/gen/kairship/placement_pb.js'
import { objectArgument } from '../arguments/object-argument.js'
import type { ClientContext } from '../client/client.js'
import { ExitCode } from '../exit-code.js'
import { columns } from '../print/columns.js'
import { printedAnswer } from '../print/print.js'

/** `kairship trace INSTANCE TYPE NAMESPACE/NAME`: how far a template has come, and what keeps it. */
export async function traceObject(
  { client, out }: ClientContext,
  config: Config,
  [instance = '', type = '', object = '']: readonly string[],
): Promise<ExitCode> {
  const wanted = objectArgument(type, object, config.inNamespace)
  const raw = await jsonClient(PlacementService, client).tracePropagation({ instance, ...wanted })
  const answer = fromJson(TracePropagationResponseSchema, raw, { ignoreUnknownFields: true })
  out(printedAnswer(raw, config.output) ?? forPeople(answer))
  return answer.first?.state === TraceLink_State.BROKEN ? ExitCode.failed : ExitCode.ok
}

function forPeople({ summary, links, first, unread }: TracePropagationResponse): string {
  const rows = links.map(({ step, cluster, state, reason, message }) => [
    stepWord(step),
    cluster || '-',
    stateWord(state),
    reason,
    message,
  ])
  const table = columns(['STEP', 'CLUSTER', 'STATE', 'REASON', 'MESSAGE'], rows).text
  const fix = first?.fix ? `Try: ${first.fix}\n` : ''
  return `${table}\n${summary}\n${fix}${unread.map(one => `Not looked at: ${one}\n`).join('')}`
}

const word = (text: string | undefined): string => (text ? text.charAt(0) + text.slice(1).toLowerCase() : '-')
const stepWord = (step: TraceLink['step']): string => word(TraceLink_Step[step])
const stateWord = (state: TraceLink['state']): string => word(TraceLink_State[state])
