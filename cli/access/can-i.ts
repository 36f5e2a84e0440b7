import { fromJson } from '@bufbuild/protobuf'
import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import {
  AccessDecision,
  AccessLink_State,
  AccessLink_Step,
  AccessReviewService,
  type ExplainAccessResponse,
  ExplainAccessResponseSchema,
} from '../../proto/gen/kairship/access_review_pb.js'
import type { ClientContext } from '../client/client.js'
import { ExitCode } from '../exit-code.js'
import { columns } from '../print/columns.js'
import { printedAnswer } from '../print/print.js'
import { accessArgument } from './access-argument.js'

/** `kairship can-i INSTANCE VERB RESOURCE [NAME]`: whether somebody may do something, link by link. Fails where it is not allowed. */
export async function canI(
  { client, out }: ClientContext,
  { inNamespace, user = '', groups, cluster = '', output }: Config,
  [instance = '', ...words]: readonly string[],
): Promise<ExitCode> {
  const raw = await jsonClient(AccessReviewService, client).explainAccess({
    ...{ instance, user, cluster, groups: groups?.split(',') ?? [] },
    ...accessArgument(words, inNamespace),
  })
  const answer = fromJson(ExplainAccessResponseSchema, raw, { ignoreUnknownFields: true })
  out(printedAnswer(raw, output) ?? forPeople(answer))
  return answer.decision === AccessDecision.ALLOWED ? ExitCode.ok : ExitCode.failed
}

function forPeople({ decision, summary, links, first, unread, notes }: ExplainAccessResponse): string {
  const rows = links.map(({ step, state, reason, message }) => [
    wordsOf(AccessLink_Step[step]),
    wordsOf(AccessLink_State[state]),
    reason,
    message,
  ])
  const lines = [
    `${ANSWERS[decision]}\n`,
    columns(['LINK', 'STATE', 'REASON', 'MESSAGE'], rows).text,
    `\n${summary}\n`,
    ...(first?.fix ? [`Try: ${first.fix}\n`] : []),
    ...notes.map(one => `Note: ${one}\n`),
    ...unread.map(one => `Not looked at: ${one}\n`),
  ]
  return lines.join('')
}

const ANSWERS: Readonly<Record<AccessDecision, string>> = {
  [AccessDecision.ACCESS_DECISION_UNSPECIFIED]: 'unknown',
  [AccessDecision.ALLOWED]: 'yes',
  [AccessDecision.DENIED]: 'no',
  [AccessDecision.UNDECIDED]: 'unknown',
}

/** `Control plane` for `CONTROL_PLANE`. */
const wordsOf = (name = '-'): string => name.charAt(0) + name.slice(1).toLowerCase().replaceAll('_', ' ')
