import type {
  PreviewRoleBindingResponse,
  PreviewWorkspaceRoleBindingResponse,
} from '../../proto/gen/kairship/access_review_pb.js'
import { momentOf } from './act.js'
import type { ChangePreview } from './change-preview.js'
import { type BindingKind, bindings, reviews } from './sources.js'
import type { subjectsOf } from './subjects.js'

/** The effects of a role binding, as `ChangePreview` shows them. */
export type Preview = Parameters<typeof ChangePreview>[0]['preview']

/** The fields of a new role binding. */
interface Grant {
  readonly name: string
  readonly on: string
  readonly role: string
  readonly namespaces: readonly string[]
  readonly subjects: ReturnType<typeof subjectsOf>['subjects']
  readonly until: string
  readonly reason: string
}

/** The preview of a binding; without a role, of its removal. */
export async function previewOf(
  kind: BindingKind,
  { name, on, role, namespaces = [], subjects = [] }: Pick<Grant, 'name' | 'on'> & Partial<Grant>,
): Promise<Preview> {
  if (kind === 'instances')
    return reviews.previewRoleBinding({
      instance: on,
      name,
      ...(role !== undefined && { grant: { role, namespaces: [...namespaces], subjects: [...subjects] } }),
    }) as Promise<PreviewRoleBindingResponse>
  const { summary, instances, notes }: PreviewWorkspaceRoleBindingResponse =
    await reviews.previewWorkspaceRoleBinding({
      workspace: on,
      name,
      ...(role !== undefined && { grant: { role, subjects: [...subjects] } }),
    })
  return {
    summary,
    notes: [...instances.map(one => `${one.instance}: ${one.summary}`), ...notes],
    subjects: [],
    withheldNamespaces: [],
    unread: [],
  }
}

/** Creates a role binding. */
export function give(
  kind: BindingKind,
  { on, until, namespaces, subjects, ...typed }: Grant,
): Promise<unknown> {
  const common = {
    name: typed.name,
    role: typed.role,
    reason: typed.reason,
    subjects: [...subjects],
    expiresAt: momentOf(until),
  }
  return kind === 'instances'
    ? bindings.createInstanceRoleBinding({
        binding: { ...common, instance: on, namespaces: [...namespaces] },
      })
    : bindings.createWorkspaceRoleBinding({ binding: { ...common, workspace: on } })
}
