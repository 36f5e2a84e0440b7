import { fromJson } from '@bufbuild/protobuf'
import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import {
  type AuditEvent,
  AuditOutcome,
  AuditService,
  ListAuditEventsResponseSchema,
  WatchAuditEventsResponseSchema,
} from '../../proto/gen/kairship/audit_pb.js'
import type { ClientContext } from '../client/client.js'
import { CommandError, ExitCode } from '../exit-code.js'
import { columns } from '../print/columns.js'
import { printedAnswer } from '../print/print.js'
import { oneLine } from '../print/printable.js'

/** So many of the last events are printed: more than a person reads, and no more than one answer carries with ease. */
const MOST = 500
const HEADER = ['TIME', 'USER', 'WHAT', 'WHERE', 'OUTCOME', 'MESSAGE']

/** `kairship audit [INSTANCE] [-f]`: who did what in the last hours, the last event at the end. */
export async function auditEvents(
  context: ClientContext,
  config: Config,
  [instance = '', ...more]: readonly string[],
): Promise<ExitCode> {
  if (more.length > 0) throw new CommandError('name one instance, or nothing for all', ExitCode.usage)
  const since = config.since === undefined ? 0n : BigInt(context.now() - config.since * 1_000)
  if (config.follow) return await followed(context, config, { instance, since })
  const { client, out, err } = context
  const raw = await jsonClient(AuditService, client).listAuditEvents({ instance, since, pageSize: MOST })
  const { items, pagination } = fromJson(ListAuditEventsResponseSchema, raw, { ignoreUnknownFields: true })
  out(printedAnswer(raw, config.output) ?? table(items.toReversed(), config.noHeaders))
  const left = (pagination?.total ?? 0) - items.length
  if (left > 0) err(`${left} older events are not shown: choose an instance, or --since\n`)
  return ExitCode.ok
}

async function followed(
  { client, out, err, signal }: ClientContext,
  { output }: Config,
  request: { readonly instance: string; readonly since: bigint },
): Promise<ExitCode> {
  err('following audit events until Ctrl-C\n')
  try {
    for await (const raw of jsonClient(AuditService, client).watchAuditEvents(request, { signal })) {
      const { event } = fromJson(WatchAuditEventsResponseSchema, raw, { ignoreUnknownFields: true })
      if (output === 'json') out(`${JSON.stringify(raw)}\n`)
      else if (event) out(`${cellsOf(event).map(oneLine).join('   ')}\n`)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return ExitCode.ok
}

const table = (events: readonly AuditEvent[], noHeaders: boolean): string =>
  events.length === 0
    ? 'No event is kept that you may see.\n'
    : columns(HEADER, events.map(cellsOf), noHeaders).text

const cellsOf = (event: AuditEvent): readonly string[] => [
  new Date(Number(event.endedAt)).toISOString(),
  event.actingAs === '' ? event.user || '-' : `${event.user} as ${event.actingAs}`,
  whatOf(event),
  [event.instance, event.cluster].filter(part => part !== '').join('/') || '-',
  event.outcome === AuditOutcome.AUDIT_OUTCOME_UNSPECIFIED
    ? 'begun'
    : [AuditOutcome[event.outcome].toLowerCase(), event.code === 'OK' ? '' : event.code]
        .filter(part => part !== '')
        .join(' '),
  event.message || '-',
]

/** `update deployments/scale shop/web`; of what became of a role, what that was. */
function whatOf({ wire, operation, verb, resource, subresource, namespace, name }: AuditEvent): string {
  if (wire === '' || resource === '') return operation || '-'
  const object = [namespace, name].filter(part => part !== '').join('/')
  return [verb, subresource === '' ? resource : `${resource}/${subresource}`, object]
    .filter(part => part !== '')
    .join(' ')
}
