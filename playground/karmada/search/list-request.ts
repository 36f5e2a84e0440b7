import type { CachedType } from '../../../karmada/search/selected.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { type LabelSelector, SelectorError } from '../../../manifests/label-selector.js'
import { SELECTABLE_FIELDS } from '../../apimachinery/builtin/selectable-fields.js'
import {
  checkFieldSelector,
  type FieldSelector,
  parseFieldSelector,
} from '../../apimachinery/field-selector.js'
import { parseLabelSelector } from '../../apimachinery/label-selector.js'
import { badRequest } from '../../apiserver/api-status.js'
import { wholeNumber } from '../../apiserver/operations/list.js'

/** What a list or watch of a cached type asks for (meta/v1 ListOptions). */
export interface ListRequest {
  readonly type: CachedType
  /** '' for all namespaces. */
  readonly namespace: string
  /** As in the request, for the members; both can be parsed. */
  readonly labelSelector: string
  readonly fieldSelector: string
  /** 0 for no limit. */
  readonly limit: number
  readonly token: string
  readonly resourceVersion: string
  readonly resourceVersionMatch: string
  /** Whether an object out of the cache is meant. */
  readonly matches: (object: KubeObject) => boolean
}

/** @throws StatusError 400 for selectors that Kubernetes cannot read, or whose fields the kind does not have */
export function listRequest(type: CachedType, namespace: string, query: URLSearchParams): ListRequest {
  const labelSelector = query.get('labelSelector') ?? ''
  const fieldSelector = query.get('fieldSelector') ?? ''
  const { labels, fields } = selectors(type, labelSelector, fieldSelector)
  return {
    type,
    namespace,
    labelSelector,
    fieldSelector,
    limit: wholeNumber(query, 'limit'),
    token: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    // The caches know no other fields: a watch that selects by another one sees nothing.
    matches: ({ metadata }) =>
      labels.matches(metadata.labels ?? {}) &&
      fields.matches({
        'metadata.name': metadata.name,
        ...(type.namespaced && { 'metadata.namespace': metadata.namespace ?? '' }),
      }),
  }
}

/** karmada-search knows the selectable fields of core/v1 alone. */
function selectors(
  { group, kind }: CachedType,
  labelSelector: string,
  fieldSelector: string,
): { readonly labels: LabelSelector; readonly fields: FieldSelector } {
  const selectable = group === '' ? SELECTABLE_FIELDS[`/${kind}`] : undefined
  try {
    const fields = parseFieldSelector(fieldSelector)
    checkFieldSelector(fields, selectable && new Set(Object.keys(selectable({}))))
    return { labels: parseLabelSelector(labelSelector), fields }
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message)
    throw error
  }
}
