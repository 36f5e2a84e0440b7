import { fromJson } from '@bufbuild/protobuf'
import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import {
  AccessReviewService,
  type CallerCredential,
  CallerCredential_Source,
  type CallerRole,
  type WhoAmIResponse,
  WhoAmIResponseSchema,
} from '../../proto/gen/kairship/access_review_pb.js'
import type { ClientContext } from '../client/client.js'
import { ExitCode } from '../exit-code.js'
import { columns } from '../print/columns.js'
import { printedAnswer } from '../print/print.js'
import { timeText } from '../print/time-text.js'

/** `kairship whoami`: whom the server takes the caller for, by which credential, and the caller's roles on instances. */
export async function whoami({ client, out, now }: ClientContext, { output }: Config): Promise<ExitCode> {
  const raw = await jsonClient(AccessReviewService, client).whoAmI({})
  const answer = fromJson(WhoAmIResponseSchema, raw, { ignoreUnknownFields: true })
  out(printedAnswer(raw, output) ?? forPeople(answer, now()))
  return ExitCode.ok
}

function forPeople(
  { user, uid, groups, credential, roles, totalRoles, notes }: WhoAmIResponse,
  now: number,
): string {
  const about = [
    ['User:', user],
    ...(uid === '' ? [] : [['UID:', uid]]),
    ['Groups:', groups.join(', ') || 'none'],
    ...(credential ? credentialRows(credential, now) : []),
  ]
  const width = Math.max(...about.map(([label = '']) => label.length))
  const table = columns(['INSTANCE', 'ROLE', 'NAMESPACES', 'GIVEN TO', 'BY', 'ENDS'], roles.map(roleRow)).text
  return [
    ...about.map(([label = '', text = '']) => `${label.padEnd(width)} ${text}\n`),
    `\n${roles.length > 0 ? table : 'No role on any instance.\n'}`,
    ...(totalRoles > roles.length ? [`${totalRoles - roles.length} more are not shown.\n`] : []),
    ...notes.map(one => `Note: ${one}\n`),
  ].join('')
}

function credentialRows(
  { source, issuer, instance, id, expiresAt }: CallerCredential,
  now: number,
): string[][] {
  const at = Number(expiresAt)
  const which = [issuer && ` ${issuer}`, instance && ` for the instance ${instance}`].join('')
  return [
    ['Credential:', `${SOURCES[source] ?? SOURCES[0]}${which}`],
    ...(id === '' ? [] : [['ID:', id]]),
    [
      'Ends:',
      at === 0 ? 'not known here' : `${timeText(at)}${at <= now ? ' (by your clock it is over)' : ''}`,
    ],
  ]
}

const SOURCES: Readonly<Record<CallerCredential_Source, string>> = {
  [CallerCredential_Source.SOURCE_UNSPECIFIED]: 'not known',
  [CallerCredential_Source.CERTIFICATE]: 'a client certificate',
  [CallerCredential_Source.ISSUER]: 'a token of the issuer',
  [CallerCredential_Source.HOST]: 'a token that the host cluster accepts',
  [CallerCredential_Source.KAIRSHIP]: 'a token of Kairship itself',
}

const roleRow = ({
  instance,
  role,
  namespaces,
  subject,
  bindingKind,
  bindingName,
  workspace,
  expiresAt,
}: CallerRole) => [
  instance,
  role,
  namespaces.join(', ') || 'all',
  subject ? `${subject.kind} ${subject.namespace ? `${subject.namespace}/` : ''}${subject.name}` : '-',
  `${bindingKind} ${bindingName}${workspace && ` (workspace ${workspace})`}`,
  expiresAt || 'never',
]
