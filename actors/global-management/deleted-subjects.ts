import { hash } from 'node:crypto'
import {
  DELIVERED_SELECTOR,
  isDelivered,
  renderDelivered,
  type StoredBinding,
  sequenceOf,
} from '../../manifests/delivered-binding.js'
import type { Subject } from '../../manifests/instance-role-binding.js'
import { type KubeList, resourcePath } from '../../manifests/kube.js'
import { WORKSPACE_ROLE_BINDINGS } from '../../manifests/workspace-role-binding.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { RoleBindingEvent } from '../../ports/role-binding-deliveries.js'
import { find } from '../kube/apply.js'

/** Marks what remembers a deleted user or group. */
const DELETED_LABEL = 'kairship.io/deleted-subject'
/** Subjects are looked up one by one up to so many; for more the host lists all that are remembered. Bindings name one to three. */
const MOST_LOOKED_UP = 8
/** It is of no workspace: it has ended, and so gives nothing whatever is called so. */
const NO_WORKSPACE = 'none'

/** An event that a user or a group was deleted. */
export type SubjectDeleted = Extract<RoleBindingEvent, { readonly name: string }>

/** When users and groups were deleted, for a day: a binding that names one and is older may come after that. */
export class DeletedSubjects {
  readonly #sequences: ReadonlyMap<string, number>

  private constructor(remembered: readonly StoredBinding[]) {
    const sequences = new Map<string, number>()
    for (const one of remembered)
      for (const subject of one.spec.subjects)
        sequences.set(keyOf(subject), Math.max(sequenceOf(one), sequences.get(keyOf(subject)) ?? 0))
    this.#sequences = sequences
  }

  /** Those among some subjects, as the host has them now: what was stored before this was called is found. */
  static async among(
    host: KubeApi,
    subjects: readonly Subject[],
    signal: AbortSignal,
  ): Promise<DeletedSubjects> {
    const names = new Set(
      subjects.flatMap(subject => (subject.kind === 'ServiceAccount' ? [] : [nameOf(subject)])),
    )
    if (names.size > MOST_LOOKED_UP) return DeletedSubjects.#all(host, signal)
    const found = await Promise.all(
      [...names].map(name => find<StoredBinding>(host, WORKSPACE_ROLE_BINDINGS, { name }, signal)),
    )
    return new DeletedSubjects(found.filter(one => one !== undefined).filter(isRemembered))
  }

  static async #all(host: KubeApi, signal: AbortSignal): Promise<DeletedSubjects> {
    const path = resourcePath(WORKSPACE_ROLE_BINDINGS)
    const query = { labelSelector: `${DELIVERED_SELECTOR},${DELETED_LABEL}` }
    const { items } = await host.request<KubeList<StoredBinding>>({ method: 'GET', path, query, signal })
    return new DeletedSubjects(items ?? [])
  }

  /** The subjects of a binding of this sequence that were not deleted after it. */
  left(subjects: readonly Subject[], sequence: number): readonly Subject[] {
    return subjects.filter(subject => (this.#sequences.get(keyOf(subject)) ?? 0) <= sequence)
  }
}

/**
 * What remembers a deleted subject: a binding that has ended. It gives nothing, is removed a day later as all that have ended, and every
 * replica finds it on the host.
 * @param endedAt RFC 3339, not in the future
 */
export function rememberedDeletion({ type, name, sequence }: SubjectDeleted, endedAt: string): StoredBinding {
  const subject = { kind: type === 'user.deleted' ? ('User' as const) : ('Group' as const), name }
  const binding = {
    name: nameOf(subject),
    workspace: NO_WORKSPACE,
    role: 'Viewer' as const,
    subjects: [subject],
    reason: `${type}: older bindings that name it come too late`,
  }
  const rendered = renderDelivered(binding, sequence, endedAt)
  const labels = { ...rendered.metadata.labels, [DELETED_LABEL]: 'true' }
  return { ...rendered, metadata: { ...rendered.metadata, labels } } as StoredBinding
}

/** What is called so, and was written by somebody else, remembers nothing. */
const isRemembered = (binding: StoredBinding): boolean =>
  isDelivered(binding) && binding.metadata.labels?.[DELETED_LABEL] !== undefined

const nameOf = (subject: Subject): string => `deleted-${hash('sha256', keyOf(subject), 'hex').slice(0, 40)}`

/** Service accounts are no users of Global Management, and are never deleted by it. */
const keyOf = ({ kind, name }: Subject): string => `${kind}/${name}`
