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
        return found.length === 1 && only ? [{ policy, ...only }] : []
      }),
  )
  const [first] = misses.sort((a, b) => a.rank - b.rank)
  if (!first) return undefined
  const object = linkTo(first.policy)
  return { object, message: `${nameOf(object)} ${first.because}.`, fix: first.fix }
}

const inOtherNamespace = (namespace: string | undefined, { kind, metadata }: PropagationPolicy) =>
  kind === 'PropagationPolicy' && metadata.namespace !== namespace
    ? `is in namespace ${metadata.namespace}`
    : undefined
