import { fromJson } from '@bufbuild/protobuf'
import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import {
  AccessReviewService,
  type KindAccess,
  type PreviewRoleBindingResponse,
  PreviewRoleBindingResponseSchema,
  type PreviewWorkspaceRoleBindingResponse,
  PreviewWorkspaceRoleBindingResponseSchema,
  type SubjectChange,
} from '../../proto/gen/kairship/access_review_pb.js'
import type { ClientContext } from '../client/client.js'
import { CommandError, ExitCode } from '../exit-code.js'
import { columns } from '../print/columns.js'
import { printedAnswer } from '../print/print.js'

/** The parts of a role binding's manifest that are read; whatever they hold, the server judges it. */
export interface RoleBindingManifest {
  readonly kind?: unknown
  readonly metadata?: { readonly name?: unknown }
  readonly spec?: {
    readonly instance?: unknown
    readonly workspace?: unknown
    readonly role?: unknown
    readonly namespaces?: unknown
    readonly subjects?: unknown
  }
}

/**
 * What storing an InstanceRoleBinding would change, or removing the one of its name.
 * @param instance may be empty: the binding names it
 * @throws CommandError for one of another instance or of none, and for the removal of one without a name
 */
export async function previewRoleBinding(
  { client, out }: ClientContext,
  { output, remove }: Config,
  given: string,
  { metadata, spec = {} }: RoleBindingManifest,
): Promise<ExitCode> {
  const instance = given || text(spec.instance)
  if (instance === '') throw new CommandError('the binding in the file has no spec.instance', ExitCode.usage)
  if (spec.instance !== undefined && spec.instance !== instance)
    throw new CommandError(
      `the binding is for the instance ${JSON.stringify(spec.instance)}, and not for ${instance}`,
      ExitCode.usage,
    )
  const name = nameOf(metadata, remove)
  const raw = await jsonClient(AccessReviewService, client).previewRoleBinding({
    ...{ instance, name },
    // Without what it would say the server takes it as removed.
    ...(!remove && {
      grant: {
        role: text(spec.role),
        namespaces: Array.isArray(spec.namespaces) ? spec.namespaces.map(text) : [],
        subjects: subjectsOf(spec.subjects),
      },
    }),
  })
  const answer = fromJson(PreviewRoleBindingResponseSchema, raw, { ignoreUnknownFields: true })
  out(printedAnswer(raw, output) ?? forPeople(answer))
  return ExitCode.ok
}

/**
 * What storing a WorkspaceRoleBinding would change on each instance of its workspace, or removing the one of its name.
 * @throws CommandError for one of no workspace, and for the removal of one without a name
 */
export async function previewWorkspaceRoleBinding(
  { client, out }: ClientContext,
  { output, remove }: Config,
  { metadata, spec = {} }: RoleBindingManifest,
): Promise<ExitCode> {
  const workspace = text(spec.workspace)
  if (workspace === '')
    throw new CommandError('the binding in the file has no spec.workspace', ExitCode.usage)
  const raw = await jsonClient(AccessReviewService, client).previewWorkspaceRoleBinding({
    ...{ workspace, name: nameOf(metadata, remove) },
    ...(!remove && { grant: { role: text(spec.role), subjects: subjectsOf(spec.subjects) } }),
  })
  const answer = fromJson(PreviewWorkspaceRoleBindingResponseSchema, raw, { ignoreUnknownFields: true })
  out(printedAnswer(raw, output) ?? workspaceForPeople(answer))
  return ExitCode.ok
}

/** @throws CommandError where a removal needs a name and there is none */
function nameOf(metadata: RoleBindingManifest['metadata'], remove: boolean): string {
  const name = text(metadata?.name)
  if (remove && name === '')
    throw new CommandError(
      'the binding in the file has no metadata.name: its removal cannot be previewed',
      ExitCode.usage,
    )
  return name
}

const subjectsOf = (given: unknown) =>
  (Array.isArray(given) ? given : []).map((subject: Record<string, unknown> | null) => ({
    kind: text(subject?.kind),
    name: text(subject?.name),
    namespace: text(subject?.namespace),
  }))

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function workspaceForPeople({ summary, instances, notes }: PreviewWorkspaceRoleBindingResponse): string {
  const parts = instances.map(({ instance, namespaces, subjects, withheldNamespaces, unread }) => [
    `== ${instance}${namespaces.length > 0 ? `, namespaces ${namespaces.join(', ')}` : ''}\n`,
    ...subjects.map(subjectText),
    ...limits({ withheldNamespaces, unread }),
    '\n',
  ])
  return [...parts.flat(), `${summary}\n`, ...notes.map(noteText)].join('')
}

function forPeople({
  summary,
  subjects,
  withheldNamespaces,
  notes,
  unread,
}: PreviewRoleBindingResponse): string {
  const [reserved, notRead] = [
    limits({ withheldNamespaces, unread: [] }),
    limits({ withheldNamespaces: [], unread }),
  ]
  const tables = subjects.map(one => `${subjectText(one)}\n`)
  return [...tables, `${summary}\n`, ...reserved, ...notes.map(noteText), ...notRead].join('')
}

function subjectText({ subject, kinds, kairship }: SubjectChange): string {
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
  return `${subject?.kind} ${subject?.name}:\n${rows.length > 0 ? table : 'nothing changes\n'}`
}

const noteText = (note: string): string => `Note: ${note}\n`

const limits = ({
  withheldNamespaces,
  unread,
}: Pick<PreviewRoleBindingResponse, 'withheldNamespaces' | 'unread'>): readonly string[] => [
  ...withheldNamespaces.map(one => `Reserved: the role gives less in the namespace ${one}\n`),
  ...unread.map(one => `Not looked at: ${one}\n`),
]

const isChanged = ({ gained, lost }: KindAccess): boolean => gained.length + lost.length > 0

/** `+get +list -create`. */
const signed = ({
  gained,
  lost,
}: {
  readonly gained: readonly string[]
  readonly lost: readonly string[]
}): string => [...gained.map(verb => `+${verb}`), ...lost.map(verb => `-${verb}`)].join(' ')
