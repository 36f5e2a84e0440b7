import { fromJson } from '@bufbuild/protobuf'
import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import {
  type AccessGrant,
  AccessReviewService,
  type ListAccessSubjectsResponse,
  ListAccessSubjectsResponseSchema,
} from '../../proto/gen/kairship/access_review_pb.js'
import type { ClientContext } from '../client/client.js'
import { ExitCode } from '../exit-code.js'
import { columns } from '../print/columns.js'
import { printedAnswer } from '../print/print.js'
import { accessArgument } from './access-argument.js'

/** `kairship who-can INSTANCE VERB RESOURCE [NAME]`: whom RBAC in a control plane lets do something. */
export async function whoCan(
  { client, out }: ClientContext,
  { inNamespace, output }: Config,
  [instance = '', ...words]: readonly string[],
): Promise<ExitCode> {
  const question = { instance, ...accessArgument(words, inNamespace) }
  const raw = await jsonClient(AccessReviewService, client).listAccessSubjects(question)
  out(
    printedAnswer(raw, output) ??
      forPeople(fromJson(ListAccessSubjectsResponseSchema, raw, { ignoreUnknownFields: true })),
  )
  return ExitCode.ok
}

function forPeople({ subjects, total, notes }: ListAccessSubjectsResponse): string {
  const rows = subjects.map(({ subject, grants, passesKairship }) => [
    subject?.kind ?? '-',
    subject?.namespace ? `${subject.namespace}/${subject.name}` : (subject?.name ?? '-'),
    passesKairship ? 'by a role' : '-',
    grants.map(bindingText).join(', '),
  ])
  const table = columns(['KIND', 'NAME', 'THROUGH KAIRSHIP', 'BY'], rows).text
  const more = total > subjects.length ? `${total - subjects.length} more are not shown.\n` : ''
  return `${table}${more}\n${notes.map(one => `Note: ${one}\n`).join('')}`
}

const bindingText = ({ bindingKind, bindingNamespace, bindingName, roleName }: AccessGrant): string =>
  `${bindingKind} ${bindingNamespace ? `${bindingNamespace}/` : ''}${bindingName} (${roleName})`
