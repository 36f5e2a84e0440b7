import { createHash } from 'node:crypto'
import { without } from '../../../../karmada/without.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { compareTexts } from '../../../../ports/compare-texts.js'

/** The annotation in which a user tells why a workload was changed; `kubectl rollout history` shows it. */
export const CHANGE_CAUSE = 'kubernetes.io/change-cause'

/** A pod template as JSON. */
export interface PodTemplate {
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly spec?: {
    readonly containers?: readonly { readonly image?: string }[]
    readonly initContainers?: readonly { readonly image?: string }[]
  }
}

/** apps/v1 Deployment, StatefulSet or DaemonSet, as far as its pod template is read from it. */
export interface Templated extends KubeObject {
  readonly spec?: { readonly template?: PodTemplate; readonly paused?: boolean }
}

/** One revision as one member keeps it. */
export interface KeptRevision {
  /** `revisionId` of its template. */
  readonly id: string
  readonly cluster: string
  /** The member's own number. */
  readonly revision: number
  readonly objectName: string
  /** RFC 3339. */
  readonly createdAt: string
  /** Whether it is the newest there. */
  readonly active: boolean
  /** Absent where the member does not count pods by revision. */
  readonly replicas?: number
  readonly changeCause?: string
  readonly template: PodTemplate
}

/** A pod template that members keep, with all that keep it. */
export interface Revision {
  readonly id: string
  readonly template: PodTemplate
  /** At least one; by cluster, and of one cluster the newest first. */
  readonly kept: readonly KeptRevision[]
}

/** The label that the Deployment controller adds to the templates of its ReplicaSets. */
const TEMPLATE_HASH = 'pod-template-hash'

/** A pod template as its workload has it: without what a member's controllers write into the copy that they keep. */
export function plainTemplate(kept: PodTemplate & { readonly $patch?: string }): PodTemplate {
  const { $patch: _, ...template } = kept
  const { metadata } = template
  const labels = metadata?.labels as Readonly<Record<string, string>> | undefined
  if (!labels || !(TEMPLATE_HASH in labels)) return template
  return { ...template, metadata: { ...metadata, labels: without(labels, [TEMPLATE_HASH]) } }
}

/**
 * Names a pod template by its content, so that equal ones have one name in all clusters. 128 bits: a member could find two templates
 * of one name of 64 bits, show the one, and have the other one applied.
 */
export const revisionId = (template: PodTemplate): string =>
  createHash('sha256').update(canonical(template)).digest('hex').slice(0, 32)

/** JSON with sorted keys. What is null says the same as what is absent: API servers write either. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value)
    .filter(([, one]) => one !== undefined && one !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join()}}`
}

/** Equal templates of all members as one revision each, the newest first. */
export function mergedRevisions(all: readonly KeptRevision[]): readonly Revision[] {
  const byId = new Map<string, KeptRevision[]>()
  for (const kept of all) byId.set(kept.id, [...(byId.get(kept.id) ?? []), kept])
  return [...byId]
    .map(([id, kept]): Revision => {
      const sorted = kept.sort((a, b) => compareTexts(a.cluster, b.cluster) || b.revision - a.revision)
      return { id, template: (sorted[0] as KeptRevision).template, kept: sorted }
    })
    .sort(
      (a, b) =>
        Number(isActive(b)) - Number(isActive(a)) ||
        compareTexts(newest(b), newest(a)) ||
        compareTexts(a.id, b.id),
    )
}

/** When the first member had it, RFC 3339. */
export const firstSeen = ({ kept }: Revision): string =>
  kept.map(({ createdAt }) => createdAt).sort()[0] ?? ''

/** The images of its containers, each once, sorted. */
export const imagesOf = ({ spec = {} }: PodTemplate): readonly string[] =>
  [
    ...new Set(
      [...(spec.initContainers ?? []), ...(spec.containers ?? [])].flatMap(({ image }) => image || []),
    ),
  ].sort()

/** Of what became of it last in any member. */
export const changeCauseOf = ({ kept }: Revision): string =>
  [...kept].sort((a, b) => compareTexts(b.createdAt, a.createdAt)).find(({ changeCause }) => changeCause)
    ?.changeCause ?? ''

const isActive = ({ kept }: Revision): boolean => kept.some(({ active }) => active)
const newest = ({ kept }: Revision): string =>
  kept
    .map(({ createdAt }) => createdAt)
    .sort()
    .at(-1) ?? ''
