import { fromJson } from '@bufbuild/protobuf'
import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import {
  AccessReviewService,
  type KindAccess,
  type PreviewRoleBindingResponse,
  PreviewRoleBindingResponseSchema,
} from '../../proto/gen/kairship/access_review_pb.js'
import type { ClientContext } from '../client/client.js'
import { CommandError, ExitCode } from '../exit-code.js'
import { columns } from '../print/columns.js'
import { printedAnswer } from '../print/print.js'

/** The parts of an InstanceRoleBinding's manifest that are read; whatever they hold, the server judges it. */
export interface RoleBindingManifest {
  readonly metadata?: { readonly name?: unknown }
  readonly spec?: {
    readonly instance?: unknown
    readonly role?: unknown
    readonly namespaces?: unknown
    readonly subjects?: unknown
  }
}

/**
 * What storing an InstanceRoleBinding would change, or removing the one of its name.
 * @throws CommandError for one of another instance, and for the removal of one without a name
 */
export async function previewRoleBinding(
  { client, out }: ClientContext,
  { output, remove }: Config,
  instance: string,
  { metadata, spec = {} }: RoleBindingManifest,
): Promise<ExitCode> {
  if (spec.instance !== undefined && spec.instance !== instance)
    throw new CommandError(
      `the binding is for the instance ${JSON.stringify(spec.instance)}, and not for ${instance}`,
      ExitCode.usage,
    )
  const name = text(metadata?.name)
  if (remove && name === '')
    throw new CommandError(
      'the binding in the file has no metadata.name: its removal cannot be previewed',
      ExitCode.usage,
    )
  const subjects = Array.isArray(spec.subjects) ? spec.subjects : []
  const raw = await jsonClient(AccessReviewService, client).previewRoleBinding({
    ...{ instance, name },
    // Without what it would say the server takes it as removed.
    ...(!remove && {
      grant: {
        role: text(spec.role),
        namespaces: Array.isArray(spec.namespaces) ? spec.namespaces.map(text) : [],
        subjects: subjects.map((subject: Record<string, unknown> | null) => ({
          kind: text(subject?.kind),
          name: text(subject?.name),
          namespace: text(subject?.namespace),
        })),
      },
    }),
  })
  const answer = fromJson(PreviewRoleBindingResponseSchema, raw, { ignoreUnknownFields: true })
  out(printedAnswer(raw, output) ?? forPeople(answer))
  return ExitCode.ok
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function forPeople({
  summary,
  subjects,
  withheldNamespaces,
  notes,
  unread,
}: PreviewRoleBindingResponse): string {
  const tables = subjects.map(({ subject, kinds, kairship }) => {
    const rows = [
      ...kairship.map(one => [one.resource, 'Kairship', signed(one), '-']),
      ...kinds
        .filter(isChanged)
        .map(one => [
          one.group ? `${one.resource}.${one.group}` : one.resource,
          one.namespace || 'all',
          signed(one),
          one.objects === undefined ? '-' : String(one.objects),
        ]),
    ]
    const table = columns(['RESOURCE', 'NAMESPACE', 'CHANGE', 'OBJECTS'], rows).text
    return `${subject?.kind} ${subject?.name}:\n${rows.length > 0 ? table : 'nothing changes\n'}\n`
  })
  return [
    ...tables,
    `${summary}\n`,
    ...withheldNamespaces.map(one => `Reserved: the role gives less in the namespace ${one}\n`),
    ...notes.map(one => `Note: ${one}\n`),
    ...unread.map(one => `Not looked at: ${one}\n`),
  ].join('')
}

const isChanged = ({ gained, lost }: KindAccess): boolean => gained.length + lost.length > 0

/** `+get +list -create`. */
const signed = ({
  gained,
  lost,
}: {
  readonly gained: readonly string[]
  readonly lost: readonly string[]
}): string => [...gained.map(verb => `+${verb}`), ...lost.map(verb => `-${verb}`)].join(' ')
