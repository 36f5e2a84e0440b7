import { Document } from 'yaml'
import { type Change, setting } from '../../forms/changes.js'
import type { FormObject } from '../../forms/form-text.js'
import { at, list, text } from '../../forms/reading.js'
import type { Shape } from '../../forms/shape.js'

/** The policy that is created with a new object. */
export const PLACEMENT = {
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  shape: {
    spec: { resourceSelectors: [{}], placement: { clusterAffinity: { clusterNames: [] } } },
  } satisfies Shape,
} as const

export const CLUSTER_NAMES = ['spec', 'placement', 'clusterAffinity', 'clusterNames'] as const

/** The policy of the text that selects the object. */
export const placementIn = (others: readonly FormObject[], object: FormObject): FormObject | undefined =>
  others.find(
    other => other.kind === PLACEMENT.kind && selectorsOf(other).some(selector => selects(selector, object)),
  )

const selectorsOf = ({ object }: FormObject): readonly unknown[] =>
  list(at(object, 'spec', 'resourceSelectors'))

const selects = (selector: unknown, { kind, name }: FormObject): boolean =>
  text(at(selector, 'kind')) === kind && text(at(selector, 'name')) === name

/** The name of a policy for an object. */
export const policyName = (kind: string, name: string): string => `${name}-${kind.toLowerCase()}`

/** Changes the policy to select the object by its new name. The policy's own name follows where it was derived from the object's. */
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

/** Changes the namespace of an object and its policy: policies select objects of their own namespace. */
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

/** A policy that places an object in all clusters. */
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
