import type { KubeObject } from '../../manifests/kube.js'
import { selectsLabels } from '../../manifests/label-selector.js'
import type { ResourceSelector } from '../objects/override-policy.js'
import type { PropagationPolicy } from '../objects/propagation-policy.js'
import { type LinkedObject, linkTo, nameOf } from './link.js'

/** A policy that almost selects a template, and the one thing that differs. */
export interface NearMiss {
  readonly object: LinkedObject
  readonly message: string
  readonly fix: string
}

/** What one selector would need to select the template; undefined when more than one thing differs. */
type Difference = (
  template: KubeObject,
  selector: ResourceSelector,
  policy: PropagationPolicy,
) => string | undefined

/** The mistakes that people make, the likeliest first. */
const differences: readonly { readonly differs: Difference; readonly fix: string }[] = [
  {
    differs: ({ metadata }, _, policy) => inOtherNamespace(metadata.namespace, policy),
    fix: 'A PropagationPolicy selects objects of its own namespace: create it there, or use a ClusterPropagationPolicy.',
  },
  {
    differs: (template, { apiVersion }) =>
      apiVersion === template.apiVersion
        ? undefined
        : `selects apiVersion ${apiVersion}, not ${template.apiVersion}`,
    fix: 'Correct the apiVersion of its resource selector.',
  },
  {
    // Karmada's webhook writes a policy's own namespace into its selectors.
    differs: ({ metadata }, { namespace }, policy) =>
      !namespace || namespace === metadata.namespace || namespace === policy.metadata.namespace
        ? undefined
        : `selects namespace ${namespace}`,
    fix: 'Correct the namespace of its resource selector.',
  },
  {
    differs: ({ metadata }, { name }) =>
      !name || name === metadata.name ? undefined : `selects the name ${name}`,
    fix: 'Correct the name in its resource selector, or add a selector.',
  },
  {
    differs: ({ metadata }, { name, labelSelector }) =>
      name || !labelSelector || selectsLabels(labelSelector, metadata.labels)
        ? undefined
        : 'selects by labels that the template does not have',
    fix: 'Label the template, or correct the label selector.',
  },
]

/** A policy of the template's kind from whose selection it is one difference away; the likeliest one. */
export function nearMiss(template: KubeObject, policies: readonly PropagationPolicy[]): NearMiss | undefined {
  const misses = policies.flatMap(policy =>
    policy.spec.resourceSelectors
      .filter(({ kind }) => kind === template.kind)
      .flatMap(selector => {
        const found = differences.flatMap(({ differs, fix }, rank) => {
          const because = differs(template, selector, policy)
          return because === undefined ? [] : [{ rank, because, fix }]
        })
        const [only] = found
        if (!only || found.length > 1) return []
        // A policy that selects a name without likeness is right for another object.
        const distance = selector.name ? lettersBetween(selector.name, template.metadata.name) : 0
        return distance > MOST_LETTERS ? [] : [{ policy, distance, ...only }]
      }),
  )
  const [first] = misses.sort((a, b) => a.rank - b.rank || a.distance - b.distance)
  if (!first) return undefined
  const object = linkTo(first.policy)
  return { object, message: `${nameOf(object)} ${first.because}.`, fix: first.fix }
}

/** Letters in which a misspelled name differs at most. */
const MOST_LETTERS = 2

/** How many letters one name lacks, has more or has in another way than the other (Levenshtein). */
function lettersBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [line, letter] of [...one].entries()) {
    let left = line + 1
    row = row.map((above, at) => {
      if (at === 0) return left
      const replaced = (row[at - 1] ?? 0) + (other[at - 1] === letter ? 0 : 1)
      left = Math.min(left + 1, above + 1, replaced)
      return left
    })
  }
  return row[other.length] ?? 0
}

const inOtherNamespace = (namespace: string | undefined, { kind, metadata }: PropagationPolicy) =>
  kind === 'PropagationPolicy' && metadata.namespace !== namespace
    ? `is in namespace ${metadata.namespace}`
    : undefined
