import { Document } from 'yaml'
import { type Change, setting } from '../../forms/changes.js'
import type { FormObject } from '../../forms/form-text.js'
import { at, list, text } from '../../forms/reading.js'
import type { Shape } from '../../forms/shape.js'

/** The policy that is created with an object. */
export const PLACEMENT = {
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  shape: {
    spec: { resourceSelectors: [{}], placement: { clusterAffinity: { clusterNames: [] } } },
  } satisfies Shape,
} as const

export const CLUSTER_NAMES = ['spec', 'placement', 'clusterAffinity', 'clusterNames'] as const

/** The policy of a text that selects its object. */
export const placementIn = (others: readonly FormObject[], object: FormObject): FormObject | undefined =>
  others.find(
    other => other.kind === PLACEMENT.kind && selectorsOf(other).some(selector => selects(selector, object)),
  )

const selectorsOf = ({ object }: FormObject): readonly unknown[] =>
  list(at(object, 'spec', 'resourceSelectors'))

const selects = (selector: unknown, { kind, name }: FormObject): boolean =>
  text(at(selector, 'kind')) === kind && text(at(selector, 'name')) === name

/** What a policy for an object is called. */
export const policyName = (kind: string, name: string): string => `${name}-${kind.toLowerCase()}`

/** Has the policy select the object by its next name; the policy's own name follows where it was made of the object's. */
export function renaming(
  documents: readonly Document[],
  { object, policy, to }: { readonly object: FormObject; readonly policy: FormObject; readonly to: string },
): void {
  const document = documents[policy.index]
  if (!document) return
  const changes: Change[] = selectorsOf(policy).flatMap((selector, index) =>
    selects(selector, object) ? [setting(['spec', 'resourceSelectors', index, 'name'], to)] : [],
  )
  if (policy.name === policyName(object.kind, object.name))
    changes.push(setting(['metadata', 'name'], policyName(object.kind, to)))
  for (const change of changes) change(document)
}

/** Puts an object into another namespace, and its policy with it: a policy selects within its own. */
export function moving(
  documents: readonly Document[],
  object: FormObject,
  policy: FormObject | undefined,
  namespace: string,
): void {
  for (const index of [object.index, ...(policy ? [policy.index] : [])]) {
    const document = documents[index]
    if (document) setting(['metadata', 'namespace'], namespace)(document)
  }
}

/** A policy that takes an object to all clusters. */
export const policyFor = (object: FormObject): Document =>
  new Document(
    {
      apiVersion: PLACEMENT.apiVersion,
      kind: PLACEMENT.kind,
      metadata: {
        name: policyName(object.kind, object.name),
        ...(object.namespace !== '' && { namespace: object.namespace }),
      },
      spec: {
        resourceSelectors: [{ apiVersion: object.apiVersion, kind: object.kind, name: object.name }],
        placement: {},
      },
    },
    { version: '1.1', aliasDuplicateObjects: false },
  )
